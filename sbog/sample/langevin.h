// SPDX-License-Identifier: Apache-2.0
// Moves an accepted point along the energy's gradient towards a level.
#pragma once

#include "sbog/sample/output.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// `langevin_steps` steps v <- project(v + clip((u - E)/|g|, -s, s) g/|g| +
/// s' xi) from the output's point towards level u, with g the gradient of the
/// energy, s a quarter of the length of a proposal's noise and s' = sigma / 16:
/// as far as the level is away to first order, with a little noise. The last
/// point that passes every test becomes the output's, which stays as it was
/// when none does. The noise of step i is the stream's proposal 2^31 + i.
template <typename T>
void move_to_level(const PreparedClass<T>& prepared, const RoundKey& key,
                   double level, Output<T>& output);

}  // namespace sbog
