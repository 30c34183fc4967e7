// SPDX-License-Identifier: Apache-2.0
// Outliers that heads on latents are shown, rule by rule: as published, and
// with steps of the length r of the recipe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "paper/experiment.h"
#include "paper/latent_tasks.h"
#include "sbog/detect/linear_head.h"
#include "sbog/sample/sampler_options.h"

namespace sbog::paper {

/// How outliers come about.
enum class LatentKind {
  kNone,     ///< there are none
  kReal,     ///< unknown rows of the data
  kNoise,    ///< bank points with noise: isotropic or shaped, r in a range
  kSphere,   ///< uniform on the sphere
  kSampler,  ///< the sampler with `options`
};

/// One rule.
struct LatentRule {
  std::string key;    ///< part of the key of a cell
  std::string name;   ///< in the table
  std::string scale;  ///< "published" or "r 1.5-4"; empty: has none
  LatentKind kind = LatentKind::kNone;
  bool is_shaped = false;  ///< kNoise
  double from = 0.0;       ///< kNoise: smallest r
  double to = 0.0;         ///< kNoise: largest r
  SamplerOptions options{};
  std::size_t pool = 9000;  ///< kSampler: outliers that are made in all
  /// kSampler: outliers are moved along their own direction, away from what
  /// they started from, until the step has a length drawn in 1.5 to 4.
  bool is_stretched = false;
};

/// All rules of the table, and the few of the harder tasks.
std::vector<LatentRule> all_latent_rules();
std::vector<LatentRule> few_latent_rules();
/// Noise of a single r, for the curve over r.
LatentRule noise_rule(bool is_shaped, double radius);

/// What a configuration says about a rule.
Json latent_rule_fields(const LatentRule& rule);

/// Outliers of the epochs of a head: fresh ones in every epoch for noise, and
/// `pool` of them made once, of which epochs take `count` in turn, for the
/// sampler; real ones likewise. Empty function for kNone. Looks at the task,
/// which must outlive it.
detect::OutlierSource latent_outliers(const LatentRule& rule,
                                      const LatentTask& task, std::size_t count,
                                      std::size_t pool, std::uint64_t seed,
                                      const Context& context);

}  // namespace sbog::paper
