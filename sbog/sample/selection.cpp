// SPDX-License-Identifier: Apache-2.0
// The picks of selection.h.
#include "sbog/sample/selection.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sbog {
namespace {

// The pick that kMixed takes here, with the rest of the draw for it.
SelectionProblem unmix(SelectionProblem problem, PickRule& pick) {
  const bool explores = problem.uniform < problem.explore;
  pick = explores ? PickRule::kUniform : PickRule::kArgmax;
  if (explores) problem.uniform /= problem.explore;
  return problem;
}

}  // namespace

std::vector<std::size_t> select_outlier(const SelectionProblem& problem,
                                        PickRule pick) {
  std::vector<std::size_t> order(problem.feasible.begin(),
                                 problem.feasible.end());
  if (order.empty()) return order;
  if (pick == PickRule::kMixed) {
    const SelectionProblem rest = unmix(problem, pick);
    return select_outlier(rest, pick);
  }
  if (pick == PickRule::kUniform) {
    const auto start = static_cast<std::size_t>(
        problem.uniform * static_cast<double>(order.size()));
    std::rotate(order.begin(),
                order.begin() + static_cast<std::ptrdiff_t>(
                                    std::min(start, order.size() - 1)),
                order.end());
    return order;
  }
  const double level = problem.threshold + problem.uniform * problem.band;
  std::vector<std::pair<double, std::size_t>> ranks;
  ranks.reserve(order.size());
  for (const std::size_t j : order) {
    ranks.emplace_back(pick == PickRule::kArgmax
                           ? -problem.acquisitions[j]
                           : std::abs(problem.scores[j] - level),
                       j);
  }
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = ranks[i].second;
  return order;
}

}  // namespace sbog
