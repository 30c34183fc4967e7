// SPDX-License-Identifier: Apache-2.0
// Means of the losses of an epoch, for the history of a detector's training.
#pragma once

#include <torch/torch.h>

#include <cstddef>

#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/detector_training.h"

namespace sbog::image::detail {

/// Adds up what the steps of an epoch give.
class EpochMeans {
 public:
  explicit EpochMeans(std::size_t steps) : steps_(steps) {}
  /// An undefined `term` stands for a training without outliers.
  void add(const EpochStep& at, const torch::Tensor& cross_entropy,
           const torch::Tensor& term, DetectorHistory& told) {
    cross_entropy_ += cross_entropy.item<double>();
    if (term.defined()) term_ += term.item<double>();
    if (at.step + 1 < steps_) return;
    const auto count = static_cast<double>(steps_);
    told.cross_entropies.push_back(cross_entropy_ / count);
    if (term.defined()) told.outlier_terms.push_back(term_ / count);
    cross_entropy_ = term_ = 0.0;
  }

 private:
  std::size_t steps_;
  double cross_entropy_ = 0.0;
  double term_ = 0.0;
};

}  // namespace sbog::image::detail
