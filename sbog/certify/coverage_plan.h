// SPDX-License-Identifier: Apache-2.0
// How many outputs it takes until every region of interest has been hit, from
// the counts of a pilot run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sbog {

/// What the plan depends on besides the counts.
struct CoverageSetting {
  std::uint64_t pilot = 0;    ///< N0 outputs of the pilot, at least 1
  std::uint64_t outputs = 0;  ///< N: outputs to be judged, at least 1
  double delta = 0.05;        ///< allowed probability of a region left out
  /// Probability that a lower bound from the pilot is wrong, over all regions.
  double pilot_delta = 0.05;
  /// Distance of the law of outputs to the population's, in [0, 1): taken off
  /// every region's probability.
  double zeta = 0.0;
};

/// Statements that hold with probability 1 - pilot_delta over the pilot, and
/// for outputs that are independent given the bank.
struct CoveragePlan {
  bool is_vacuous = true;
  std::string reason;  ///< one sentence; empty unless vacuous
  /// Lower bounds of the regions' probabilities (Clopper-Pearson, one-sided at
  /// pilot_delta / L), before zeta is taken off.
  std::vector<double> lower_bounds;
  std::vector<std::size_t> empty_regions;  ///< not hit by the pilot
  double smallest = 0.0;                   ///< smallest bound minus zeta
  double needed = 0.0;        ///< log(L/delta) / smallest, +inf when vacuous
  double needed_sharp = 0.0;  ///< smallest N with sum_l (1-q_l)^N <= delta
  double probability = 0.0;   ///< 1 - L exp(-N smallest), at least 0
  double probability_sharp = 0.0;  ///< 1 - sum_l (1-q_l)^N, at least 0
};

/// `counts`: outputs of the pilot in each region; regions may overlap. Throws
/// InvalidArgument without regions, for a count above the pilot's size and for
/// a setting out of range.
CoveragePlan plan_coverage(std::span<const std::uint64_t> counts,
                           const CoverageSetting& setting);

}  // namespace sbog
