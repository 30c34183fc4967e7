// SPDX-License-Identifier: Apache-2.0
// Where a model breaks: groups of cases that it fails on more often than is
// tolerated, ranked by the lower end of the interval of that share.
//
// Many groups are looked at, so that one of them looks bad by chance. A group
// is a weak spot when its share is above the tolerated one at the 95 % level
// for all ranked groups together (Bonferroni: one-sided Clopper-Pearson at
// 0.05 / groups). A model that fails on no group more often than tolerated has
// no weak spot in at least 19 of 20 runs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sbog/stress/measures.h"
#include "sbog/stress/outcomes.h"

namespace sbog::stress {

/// Groups with fewer cases are listed but not ranked.
inline constexpr std::size_t kFewestRanked = 10;
/// Cases shown of a weak spot.
inline constexpr std::size_t kShownCases = 3;

/// One of them.
struct WeakSpot {
  std::size_t group = 0;  ///< index in the list of groups
  /// A spot ranked before this one that holds every failure of this one.
  std::optional<std::size_t> within;
  std::vector<std::size_t> clearest;  ///< failures: largest severity first,
                                      ///< then the clearest
};

/// What is ranked, and what is wrong with it.
struct WeakSpots {
  std::vector<WeakSpot> spots;    ///< worst first
  std::size_t ranked_groups = 0;  ///< of at least kFewestRanked cases
  std::size_t small_groups = 0;   ///< the others
  double tolerance = 0.0;
};

/// Finds the weak spots among groups. Ties go to the earlier group. Throws
/// InvalidArgument unless the tolerance lies in [0, 1).
WeakSpots find_weak_spots(const Cases& cases, const Outcomes& outcomes,
                          const std::vector<GroupMeasures>& groups,
                          double tolerance);

}  // namespace sbog::stress
