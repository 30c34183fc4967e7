// SPDX-License-Identifier: Apache-2.0
// Perplexity: how many atoms support a point, and the temperature at which a
// wanted number does.
//
// The atoms j of a reference support its point i with the Gibbs weights
// p_j ~ nu_j exp(-d(z_i, z_j) / epsilon), j != i. Their perplexity, the
// exponential of their entropy, lies between 1 and the number of other atoms.
// An epsilon that is far too large makes it the size of the bank: all points
// look alike. One that is far too small makes it 1: the nearest point decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/reference_measure.h"

namespace sbog {

/// How a temperature is found.
struct PerplexityOptions {
  /// Atoms that are to support a point, above 1.
  double target = 15.0;
  /// Points whose median is taken, at most; drawn by `seed`, at least 1.
  std::size_t sample = 2000;
  std::uint64_t seed = 0;
};

/// The temperature at which the median leave-one-out perplexity of the points
/// of the reference is `target`, rounded to four significant digits.
/// `energy.epsilon` is not read.
///
/// Small references: the target is at most (1 + P) / 2, where P is the
/// perplexity of an infinite temperature, n - 1 for n atoms of equal weight. So
/// 30 points or more have the target 15, 10 points 5.
/// Equal points: one that has `target` others at its lowest cost has that
/// support at any temperature and counts as 0. If the median is 0, it is taken
/// of the other points; if there are none, which includes every reference of
/// two points, the result is the lowest positive cost.
/// Unequal weights: perplexity need not grow with epsilon then; the epsilon of
/// a point is one at which it passes the target.
///
/// Atoms of weight 0 do not count. Same result for any number of threads;
/// memory for one row of costs per lane and worker. NaN when the observer asked
/// to stop. Throws InvalidArgument for options or points that are not usable,
/// fewer than 2 atoms, or atoms that are all equal.
template <typename T>
[[nodiscard]] double find_epsilon(const ReferenceMeasure<T>& reference,
                                  const EnergyOptions& energy,
                                  const PerplexityOptions& options = {},
                                  const Context& context = {});

/// The same, or nothing for fewer than 2 atoms or atoms that are all equal.
template <typename T>
[[nodiscard]] std::optional<double> find_epsilon_if_any(
    const ReferenceMeasure<T>& reference, const EnergyOptions& energy,
    const PerplexityOptions& options = {}, const Context& context = {});

/// The median leave-one-out perplexity at `energy.epsilon`, of the same points;
/// `options.target` is not read. NaN when the observer asked to stop.
/// Throws as find_epsilon does, but for atoms that are all equal.
template <typename T>
[[nodiscard]] double median_perplexity(const ReferenceMeasure<T>& reference,
                                       const EnergyOptions& energy,
                                       const PerplexityOptions& options = {},
                                       const Context& context = {});

/// The nearest number of four significant digits.
double four_digits(double value);

}  // namespace sbog
