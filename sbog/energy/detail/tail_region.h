// SPDX-License-Identifier: Apache-2.0
// Which tails are compatible with what was seen: the ground of the interval of
// a rarity.
//
// A parametric bootstrap (the number of exceedances drawn anew, too) gives
// directions in which the fitted tail may be wrong. Taken as intervals, such
// draws cover too seldom on one side and reach absurdly far on the other, so
// each is moved along its direction to where the likelihood ratio ends: the
// smallest and the largest probability over these tails are then a profile
// likelihood interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/energy/detail/pareto_tail.h"

namespace sbog::detail {

/// A tail: the share of points beyond its start, and the law of their excess.
struct TailPoint {
  double share = 0.0;
  ParetoTail law;
};

/// What the draws depend on, and how far they go.
struct RegionOptions {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::size_t draws = 200;
  double deviations = 1.96;  ///< root of twice the log of the likelihood ratio
};

/// The ends of the region of a tail that was fitted to these excesses of n
/// points, one per draw.
std::vector<TailPoint> tail_region(std::span<const double> excesses,
                                   std::size_t n, const ParetoTail& fit,
                                   const RegionOptions& options);

}  // namespace sbog::detail
