// SPDX-License-Identifier: Apache-2.0
// What a proposal is ranked by: its score and, with a user's loss, the
// task-aware acquisition.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/sample/sampler_options.h"
#include "sbog/sample/support_score.h"

namespace sbog {

/// Scores of proposals against one reference, with the task-aware term.
template <typename T>
class ProposalScorer {
 public:
  /// `losses` is empty or has one entry per row of reference.points.
  ProposalScorer(const ReferenceMeasure<T>& reference,
                 std::span<const double> losses, const SamplerOptions& options);

  const SupportScore<T>& support() const { return support_; }
  std::vector<double> score(MatrixView<const T> points,
                            std::span<const std::size_t> self = {},
                            const Context& context = {}) const {
    return support_.score(points, self, context);
  }
  /// score + beta Phi_lambda(v), Phi_lambda = lambda eps log sum_i w_i(v)
  /// exp(f_i / (lambda eps)); the scores themselves without losses.
  std::vector<double> acquire(MatrixView<const T> points,
                              const std::vector<double>& scores) const;

 private:
  SupportScore<T> support_;
  std::vector<double> tilted_weights_;  // nu_i exp((f_i - max f)/(lambda eps))
  std::unique_ptr<EnergyModel<T>> tilted_;
  double largest_loss_ = 0.0;
  double log_mass_ratio_ = 0.0;
  double lambda_;
  double beta_;
};

}  // namespace sbog
