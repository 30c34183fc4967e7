// SPDX-License-Identifier: Apache-2.0
// Energies with far parts of the bank left out, within a stated error.
//
// The atoms are ordered by a k-d tree into cells of 256; queries likewise into
// groups. For a group, cells are visited by increasing lower bound of the cost;
// the walk stops as soon as all cells left together cannot lower any energy of
// the group by more than the tolerance:
//   0 <= E_pruned - E <= tolerance.
#pragma once

#include <cstddef>
#include <span>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"

namespace sbog {

/// Energies with what the pruning did.
struct PrunedResult {
  SolveStatus status = SolveStatus::kDone;
  std::vector<double> energies;
  /// Share of (query, atom) pairs that were evaluated; 1 after falling back.
  double evaluated_share = 1.0;
  /// False when pruning would not have paid and the exact walk was taken.
  bool is_pruned = false;
};

/// Energies of the queries within `tolerance` (absolute, > 0) of the exact
/// ones, never below them but for rounding. Falls back to the exact walk in
/// more than 16 dimensions, for small banks, and when a pilot shows that more
/// than 60 % of the pairs would be evaluated anyway.
template <typename T>
[[nodiscard]] PrunedResult evaluate_pruned(
    const EnergyModel<T>& model, MatrixView<const T> queries, double tolerance,
    std::span<const std::size_t> self = {}, const Context& context = {});

}  // namespace sbog
