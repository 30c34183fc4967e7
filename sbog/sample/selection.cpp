// SPDX-License-Identifier: Apache-2.0
// The picks of selection.h.
#include "sbog/sample/selection.h"

#include <algorithm>
#include <cmath>

namespace sbog {

std::vector<std::size_t> select_outlier(const SelectionProblem& problem,
                                        PickRule pick) {
  std::vector<std::size_t> order(problem.feasible.begin(),
                                 problem.feasible.end());
  if (order.empty()) return order;
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
  const auto rank = [&](std::size_t j) {
    return pick == PickRule::kArgmax ? -problem.acquisitions[j]
                                     : std::abs(problem.scores[j] - level);
  };
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

}  // namespace sbog
