// SPDX-License-Identifier: Apache-2.0
// See weak_spots.h.
#include "sbog/stress/weak_spots.h"

#include <algorithm>

#include "sbog/base/errors.h"

namespace sbog::stress {
namespace {

constexpr double kLevel = 0.95;

std::vector<std::size_t> failures_of(const GroupMeasures& group,
                                     const Outcomes& outcomes) {
  std::vector<std::size_t> items;
  for (const std::size_t i : group.members) {
    if (outcomes.cases[i].is_failure) items.push_back(i);
  }
  return items;
}

int severity_of(const Cases& cases, std::size_t i) {
  return cases.severities.empty() ? 0 : cases.severities[i].value_or(0);
}

std::vector<std::size_t> clearest_of(const Cases& cases,
                                     const Outcomes& outcomes,
                                     std::vector<std::size_t> failures) {
  std::stable_sort(
      failures.begin(), failures.end(), [&](std::size_t a, std::size_t b) {
        const int of_a = severity_of(cases, a);
        const int of_b = severity_of(cases, b);
        if (of_a != of_b) return of_a > of_b;
        return outcomes.cases[a].clearness > outcomes.cases[b].clearness;
      });
  failures.resize(std::min(failures.size(), kShownCases));
  return failures;
}

// Of which the failures are all in one before.
std::optional<std::size_t> holder_of(const std::vector<std::size_t>& failures,
                                     const std::vector<GroupMeasures>& groups,
                                     const std::vector<WeakSpot>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::vector<std::size_t>& held = groups[before[i].group].members;
    if (std::includes(held.begin(), held.end(), failures.begin(),
                      failures.end())) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

WeakSpots find_weak_spots(const Cases& cases, const Outcomes& outcomes,
                          const std::vector<GroupMeasures>& groups,
                          double tolerance) {
  require("find_weak_spots", tolerance >= 0.0 && tolerance < 1.0,
          "a tolerated share in [0, 1) is expected");
  WeakSpots found;
  found.tolerance = tolerance;
  std::vector<std::size_t> ranked;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].members.size() >= kFewestRanked) ranked.push_back(g);
  }
  found.ranked_groups = ranked.size();
  found.small_groups = groups.size() - ranked.size();
  if (ranked.empty()) return found;
  // Two-sided intervals of this level have the wanted one-sided lower end.
  const double level =
      1.0 - 2.0 * (1.0 - kLevel) / static_cast<double>(ranked.size());
  std::erase_if(ranked, [&](std::size_t g) {
    const Share& share = groups[g].measures.failures;
    if (ranked.size() == 1) return share.interval.low <= tolerance;
    return clopper_pearson(share.hits, share.trials, level).low <= tolerance;
  });
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](std::size_t a, std::size_t b) {
                     return groups[a].measures.failures.interval.low >
                            groups[b].measures.failures.interval.low;
                   });
  for (const std::size_t g : ranked) {
    const std::vector<std::size_t> failures = failures_of(groups[g], outcomes);
    found.spots.push_back({g, holder_of(failures, groups, found.spots),
                           clearest_of(cases, outcomes, failures)});
  }
  return found;
}

}  // namespace sbog::stress
