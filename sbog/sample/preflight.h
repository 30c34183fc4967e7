// SPDX-License-Identifier: Apache-2.0
// Whether a class can have outputs at all, told without sampling.
//
// E is 1-Lipschitz under cosine and Euclidean costs, so that a proposal v of
// bank point z has E(v) <= E(z) + |v - z|, and on the sphere it turns by at
// most asin(sigma |xi|). With a bound on |xi| for all proposals of a run no
// energy and no class cosine can be higher than what follows. Shaped steps are
// not looked at.
#pragma once

#include <cstddef>

#include "sbog/sample/prepared_class.h"

namespace sbog {

/// A radius that a standard normal vector of the dimension exceeds with
/// probability at most `tail` (Laurent and Massart's bound).
double noise_radius(std::size_t dim, double tail);

/// Fills is_infeasible, infeasible_by and highest_reachable of the plan of an
/// otherwise complete preparation. Says nothing for rules without rounds.
template <typename T>
void run_preflight(PreparedClass<T>& prepared);

}  // namespace sbog
