// SPDX-License-Identifier: Apache-2.0
// The tilted kernel sum behind proposal_scorer.h.
#include "sbog/sample/proposal_scorer.h"

#include <algorithm>
#include <cmath>

namespace sbog {

template <typename T>
ProposalScorer<T>::ProposalScorer(const ReferenceMeasure<T>& reference,
                                  std::span<const double> losses,
                                  const SamplerOptions& options)
    : support_(reference, options),
      lambda_(options.task_lambda),
      beta_(losses.empty() ? 0.0 : options.task_beta) {
  if (beta_ == 0.0) return;
  const double scale = lambda_ * options.energy.epsilon;
  const std::size_t count = reference.atom_count();
  largest_loss_ = losses[reference.point_of(0)];
  for (std::size_t i = 0; i < count; ++i) {
    largest_loss_ = std::max(largest_loss_, losses[reference.point_of(i)]);
  }
  double tilted_mass = 0.0;
  tilted_weights_.assign(losses.size(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = reference.point_of(i);
    tilted_weights_[row] = std::exp((losses[row] - largest_loss_) / scale);
    tilted_mass += tilted_weights_[row];
  }
  log_mass_ratio_ = std::log(tilted_mass / static_cast<double>(count));
  ReferenceMeasure<T> tilted = reference;
  tilted.weights = tilted_weights_;
  tilted_ = std::make_unique<EnergyModel<T>>(tilted, options.energy);
}

template <typename T>
std::vector<double> ProposalScorer<T>::acquire(
    MatrixView<const T> points, const std::vector<double>& scores) const {
  if (!tilted_) return scores;
  const std::vector<double> energies =
      support_.kind() == ScoreKind::kEnergy
          ? scores
          : support_.energy().evaluate(points).energies;
  const std::vector<double> tilted = tilted_->evaluate(points).energies;
  const double epsilon = tilted_->epsilon();
  std::vector<double> result(scores.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double phi = largest_loss_ + lambda_ * (energies[i] - tilted[i] +
                                                  epsilon * log_mass_ratio_);
    result[i] = scores[i] + beta_ * phi;
  }
  return result;
}

template class ProposalScorer<float>;
template class ProposalScorer<double>;

}  // namespace sbog
