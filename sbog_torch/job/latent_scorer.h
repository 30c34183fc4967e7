// SPDX-License-Identifier: Apache-2.0
// How far out latents lie within a class of the bank, in the scores that the
// sampler holds against the threshold of that class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/class_tails.h"
#include "sbog/run/run_folder.h"
#include "sbog/sample/sampler_options.h"
#include "sbog/sample/support_score.h"
#include "sbog_torch/image/feature_bank.h"

namespace sbog::torch_jobs {

/// Scores, thresholds and rarities of all classes of a bank.
class LatentScorer {
 public:
  /// `options` as the outliers are sampled with; the bank must outlive it.
  /// Throws InvalidArgument for options out of range.
  LatentScorer(const image::FeatureBank& bank, const SamplerOptions& options,
               const Context& context = {});

  /// Scores against the reference of a class, which leaves out the points that
  /// the sampler trims. Throws InvalidArgument for a class without points.
  std::vector<double> score(std::int64_t label, MatrixView<const float> latents,
                            const Context& context = {}) const;
  double threshold(std::int64_t label) const;
  bool is_outside(std::int64_t label, double score) const {
    return score >= threshold(label);
  }
  OutlierRarity rarity(std::int64_t label, double score) const;
  const ClassTails& tails() const { return tails_; }
  /// Number of a class among those that have points.
  std::size_t number_of(std::int64_t label) const;

 private:
  struct Class {
    std::vector<std::size_t> reference;  // rows of the bank
    double threshold = 0.0;
    SupportScore<float> support;
  };

  std::map<std::int64_t, std::size_t> numbers_;
  std::deque<Class> classes_;
  ClassTails tails_;
};

}  // namespace sbog::torch_jobs
