// SPDX-License-Identifier: Apache-2.0
// Energies and Gibbs weights from a user's own cost matrix.
#pragma once

#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"

namespace sbog {

/// Energies from costs (row: query, column: atom). +inf means that the atom
/// does not support the query; a negative or NaN entry is an InvalidArgument
/// naming row and column. `weights` is empty (uniform) or one per column;
/// `self` is empty or the column each query does not see, kNoAtom for none.
[[nodiscard]] EnergyResult evaluate_precomputed(
    MatrixView<const double> costs, std::span<const double> weights,
    double epsilon, std::span<const std::size_t> self = {},
    const Context& context = {});

/// Gibbs weights of one row of costs: nu_i exp(-d_i/epsilon) / K. A weight
/// below the smallest double is exactly 0; all are 0 when nothing supports the
/// row.
std::vector<double> gibbs_weights_of_costs(std::span<const double> costs,
                                           std::span<const double> weights,
                                           double epsilon);

}  // namespace sbog
