// SPDX-License-Identifier: Apache-2.0
// The objective and its gradient; see edit_objective.h.
#include "sbog/scenario/edit_objective.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"

namespace sbog::series {
namespace {

constexpr double kEnergyScale = 0.02;

}  // namespace

EditObjective::EditObjective(MatrixView<const double> source,
                             const std::vector<ChannelProfile>& profiles,
                             const EditTarget& target, Embedder& embedder,
                             EnergyProbe& energy)
    : profiles_(&profiles),
      target_(&target),
      embedder_(&embedder),
      energy_(&energy),
      window_(source, profiles),
      source_steps_(source.rows()),
      distance_(squared_distance<double, double>(target.source, target.point)),
      d_window_(source.rows(), source.cols() - 2 * kMargin) {
  if (!(distance_ > 0.0)) {
    throw InvalidArgument(
        "EditObjective: a target other than the source's own point is "
        "expected");
  }
  for (std::size_t c = 0; c < source.rows(); ++c) {
    source_steps_[c] = largest_step(source.row(c));
  }
}

double EditObjective::step_limit(std::size_t channel) const {
  return std::max((*profiles_)[channel].step_limit(), source_steps_[channel]);
}

void EditObjective::add_slew(EditScore& score, Matrix<double>* d_rows) const {
  const std::vector<std::size_t>& edited = window_.edited_channels();
  for (std::size_t k = 0; k < edited.size(); ++k) {
    const auto row = window_.row(edited[k]);
    std::size_t at = kMargin;
    for (std::size_t i = kMargin; i + kMargin + 1 < row.size(); ++i) {
      if (std::abs(row[i + 1] - row[i]) > std::abs(row[at + 1] - row[at])) {
        at = i;
      }
    }
    const double step = row[at + 1] - row[at];
    const double limit = step_limit(edited[k]);
    const double excess = std::abs(step) / limit - 1.0;
    if (excess <= 0.0) continue;
    score.excess += excess;
    if (d_rows == nullptr) continue;
    const double slope = std::copysign(1.0, step) / limit;
    (*d_rows)(k, at + 1) += slope;
    (*d_rows)(k, at) -= slope;
  }
}

EditScore EditObjective::evaluate(std::span<const Edit> edits,
                                  std::vector<EditGradient>* gradients) {
  const bool wants_gradient = gradients != nullptr;
  window_.apply(edits);
  EditScore score;
  score.point = embedder_->embed(window_.window());
  const std::size_t dim = score.point.size();
  std::vector<double> direction(wants_gradient ? dim : 0);
  score.energy = energy_->value(score.point, direction);
  score.residual =
      squared_distance<double, double>(score.point, target_->point) / distance_;
  Matrix<double> d_rows;
  if (wants_gradient) {
    d_rows = Matrix<double>(window_.edited_channels().size(),
                            window_.width() + 2 * kMargin);
  }
  add_slew(score, wants_gradient ? &d_rows : nullptr);
  for (const Edit& edit : edits) {
    score.strength +=
        std::abs(edit.amount) /
        strength_range(edit.kind, (*profiles_)[edit.channel]).unit;
  }
  const double lacking = target_->least_energy - score.energy;
  score.total = score.residual + kStrengthWeight * score.strength +
                std::max(0.0, lacking) / kEnergyScale + score.excess;
  if (!wants_gradient) return score;
  for (std::size_t k = 0; k < dim; ++k) {
    direction[k] = (lacking > 0.0 ? -direction[k] / kEnergyScale : 0.0) +
                   2.0 * (score.point[k] - target_->point[k]) / distance_;
  }
  embedder_->gradient(direction, d_window_);
  *gradients = window_.backward(d_window_, d_rows);
  for (std::size_t k = 0; k < edits.size(); ++k) {
    const StrengthRange range =
        strength_range(edits[k].kind, (*profiles_)[edits[k].channel]);
    (*gradients)[k].amount +=
        kStrengthWeight * std::copysign(1.0, edits[k].amount) / range.unit;
  }
  return score;
}

}  // namespace sbog::series
