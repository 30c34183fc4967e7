// SPDX-License-Identifier: Apache-2.0
// The energy of single points in double, whatever the storage of the bank: the
// figure that an accepted outlier is reported with.
#pragma once

#include <cstddef>
#include <span>

#include "sbog/energy/energy_model.h"

namespace sbog {

/// E(query) against the model's reference without the bank row `self`
/// (kNoAtom: all). Plain double arithmetic, O(atoms x dim), no threads.
/// Throws InvalidArgument for another dimension, a query that is not finite or
/// a zero one under a cosine cost.
template <typename T>
double exact_energy(const EnergyModel<T>& model, std::span<const double> query,
                    std::size_t self = kNoAtom);

}  // namespace sbog
