// SPDX-License-Identifier: Apache-2.0
// The energy of single points in double, whatever the storage of the bank: the
// figure that an accepted outlier is reported with.
#pragma once

#include <cmath>
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

/// The same at any temperature, in two passes over the atoms:
///   E = c - epsilon log1p(sum_i nu_i expm1((c - d_i) / epsilon)),  c = min
///   d_i,
/// which neither loses digits where epsilon is far above the costs nor
/// overflows where it is far below. Throws InvalidArgument as exact_energy, and
/// for costs that are no finite numbers in double.
template <typename T>
double careful_energy(const EnergyModel<T>& model,
                      std::span<const double> query,
                      std::size_t self = kNoAtom);

/// Whether an energy from sums of exp(-d / epsilon) is to be computed again by
/// careful_energy: it is not finite, or epsilon is above 1 and so far above the
/// costs that their sum differs from 1 by little more than its rounding. With
/// it the error of an energy in float is at most 1e-6 times the largest cost,
/// at any epsilon.
inline bool needs_care(double energy, double epsilon) {
  return !std::isfinite(energy) || (epsilon > 1.0 && energy < epsilon / 16.0);
}

}  // namespace sbog
