// SPDX-License-Identifier: Apache-2.0
// Checks, and the models of given points; see dro_model.h.
#include "sbog/dro/detail/dro_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/dro/detail/compensated_sum.h"

namespace sbog::detail {
namespace {

constexpr double kLargestLoss = 1e300;

}  // namespace

std::vector<double> normalised_weights(std::span<const double> weights,
                                       std::size_t count, const char* name) {
  if (count == 0) throw InvalidArgument(std::string(name) + ": no points");
  if (weights.empty()) return std::vector<double>(count, 1.0 / double(count));
  if (weights.size() != count) {
    throw InvalidArgument(std::string(name) + ": one weight per point (" +
                          std::to_string(count) + ") is expected, got " +
                          std::to_string(weights.size()));
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0.0) {
      throw InvalidArgument(
          std::string(name) + ": weight " + std::to_string(i) + " is " +
          std::to_string(weights[i]) + "; finite and non-negative is expected");
    }
    largest = std::max(largest, weights[i]);
  }
  if (largest == 0.0) {
    throw InvalidArgument(std::string(name) + ": all weights are 0");
  }
  // Divided by the largest first: the sum of large weights may overflow.
  CompensatedSum sum;
  for (const double weight : weights) sum.add(weight / largest);
  std::vector<double> out(weights.begin(), weights.end());
  for (double& weight : out) weight = weight / largest / sum.total();
  return out;
}

void check_losses(std::span<const double> losses, std::size_t count) {
  if (losses.size() != count) {
    throw InvalidArgument("losses: one per reference point (" +
                          std::to_string(count) + ") is expected, got " +
                          std::to_string(losses.size()));
  }
  for (std::size_t j = 0; j < count; ++j) {
    if (std::isnan(losses[j])) {
      throw InvalidArgument("losses: entry " + std::to_string(j) + " is NaN");
    }
    if (std::isfinite(losses[j]) && std::abs(losses[j]) > kLargestLoss) {
      throw InvalidArgument("losses: entry " + std::to_string(j) +
                            " is beyond 1e300 and not infinite");
    }
  }
}

void LossRange::add(double loss) {
  if (!std::isfinite(loss)) return;
  low_ = std::min(low_, loss);
  high_ = std::max(high_, loss);
}

LossScale LossRange::scale() const {
  if (!has_finite()) return {};
  return {high_, high_ > low_ ? high_ - low_ : 1.0};
}

namespace {

template <typename T>
struct PointModel : DroModel {
  SolveStatus prepare(const Context& context) override;

  MatrixView<const T> nominal;
  std::optional<EnergyModel<T>> all;     // every atom
  std::optional<EnergyModel<T>> finite;  // atoms of finite loss, if fewer
  std::vector<double> finite_weights;
};

// -eps log K averaged over the rows; K from log2 supports.
double mean_energy_of(const DroModel& model, std::span<const double> log2,
                      double offset, double log_mass) {
  CompensatedSum sum;
  for (std::size_t i = 0; i < log2.size(); ++i) {
    if (model.weights[i] == 0.0) continue;
    const double log_k = std::numbers::ln2 * (log2[i] - offset) - log_mass;
    sum.add(model.weights[i] * std::max(0.0, -model.epsilon * log_k));
  }
  return sum.total();
}

template <typename T>
SolveStatus PointModel<T>::prepare(const Context& context) {
  const PreparedReference<T>& reference = prepared_of(*all);
  CompensatedSum mass;
  for (std::size_t b = 0; b < reference.block_count(); ++b) {
    mass.add(reference.block_mass(b, kNoAtom));
  }
  const double log_mass = std::log(mass.total());
  SolveStatus status = problem->prepare(context);
  if (status != SolveStatus::kDone) return status;
  const std::vector<double>& log2 = problem->base().log2_support;
  if (!finite) {
    mean_energy = mean_energy_of(*this, log2, reference.offset(), log_mass);
    return status;
  }
  // One more pass, over all atoms, for K itself.
  TiltPasses<T> whole(LogitBlocks<T>(reference, nominal, 0), weights,
                      std::vector<double>(reference.measure().atom_count()),
                      {});
  status = whole.prepare(context);
  if (status != SolveStatus::kDone) return status;
  const std::vector<double>& log2_all = whole.base().log2_support;
  mean_energy = mean_energy_of(*this, log2_all, reference.offset(), log_mass);
  CompensatedSum divergence;
  for (std::size_t i = 0; i < log2.size(); ++i) {
    if (weights[i] == 0.0) continue;
    const double share = (log2_all[i] - reference.offset()) -
                         (log2[i] - prepared_of(*finite).offset());
    divergence.add(weights[i] * std::max(0.0, std::numbers::ln2 * share));
  }
  finite_divergence = divergence.total();
  return status;
}

}  // namespace

template <typename T>
std::unique_ptr<DroModel> make_point_model(const DroPoints<T>& points,
                                           std::span<const double> losses,
                                           const EnergyOptions& energy,
                                           std::size_t cache_bytes) {
  auto model = std::make_unique<PointModel<T>>();
  model->all.emplace(points.reference, energy);
  const ReferenceMeasure<T>& measure = points.reference;
  check_losses(losses, measure.points.rows());
  if (points.nominal.cols() != measure.points.cols()) {
    throw InvalidArgument("nominal: dimension " +
                          std::to_string(measure.points.cols()) +
                          " of the reference is expected, got " +
                          std::to_string(points.nominal.cols()));
  }
  check_points(points.nominal, energy.cost, "nominal");
  model->nominal = points.nominal;
  model->epsilon = energy.epsilon;
  model->nominal_count = points.nominal.rows();
  model->reference_count = measure.points.rows();
  model->atoms = measure.atoms;
  model->has_energy = true;
  model->weights = normalised_weights(points.nominal_weights,
                                      points.nominal.rows(), "nominal");
  LossRange range;
  const std::size_t count = measure.atom_count();
  for (std::size_t j = 0; j < count; ++j) {
    if (measure.weight_of(j) == 0.0) continue;
    const double loss = losses[measure.point_of(j)];
    range.add(loss);
    model->has_plus_infinity |= loss == HUGE_VAL;
    model->has_minus_infinity |= loss == -HUGE_VAL;
  }
  model->scale = range.scale();
  model->is_hopeless = !range.has_finite();
  model->is_constant = range.is_constant();
  const bool is_finite = !model->has_plus_infinity && !model->is_hopeless;
  std::vector<double> gains(count, 0.0);
  for (std::size_t j = 0; j < count && is_finite; ++j) {
    const double loss = losses[measure.point_of(j)];
    // Atoms that are not there may hold anything up to 0.
    const double gain = (loss - model->scale.top) / model->scale.range;
    gains[j] = std::clamp(gain, -1.0, 0.0);
  }
  const PreparedReference<T>* used = &prepared_of(*model->all);
  if (is_finite && model->has_minus_infinity) {
    model->finite_weights.resize(measure.points.rows());
    for (std::size_t i = 0; i < model->finite_weights.size(); ++i) {
      const double weight = measure.weights.empty() ? 1.0 : measure.weights[i];
      model->finite_weights[i] = std::isfinite(losses[i]) ? weight : 0.0;
    }
    model->finite.emplace(
        ReferenceMeasure<T>{measure.points, model->finite_weights,
                            measure.atoms},
        energy);
    used = &prepared_of(*model->finite);
  }
  model->problem = std::make_unique<TiltPasses<T>>(
      LogitBlocks<T>(*used, points.nominal, cache_bytes), model->weights,
      std::move(gains), std::vector<double>{});
  return model;
}

template std::unique_ptr<DroModel> make_point_model(const DroPoints<float>&,
                                                    std::span<const double>,
                                                    const EnergyOptions&,
                                                    std::size_t);
template std::unique_ptr<DroModel> make_point_model(const DroPoints<double>&,
                                                    std::span<const double>,
                                                    const EnergyOptions&,
                                                    std::size_t);

}  // namespace sbog::detail
