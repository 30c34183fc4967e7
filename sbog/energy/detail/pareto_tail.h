// SPDX-License-Identifier: Apache-2.0
// The generalised Pareto law of what exceeds a high level, and its fit.
//
// With shape xi, scale beta and z = y / beta: P(Y > y) = (1 + xi z)^(-1/xi),
// which is exp(-z) at xi = 0. The fit maximises the likelihood times a normal
// density on xi (mean 0, standard deviation 0.2), for xi in [-0.5, 0.5].
#pragma once

#include <span>

namespace sbog::detail {

inline constexpr double kShapeLimit = 0.5;
inline constexpr double kShapeDeviation = 0.2;

/// See the top of the file.
struct ParetoTail {
  double shape = 0.0;  ///< xi
  double scale = 1.0;  ///< beta

  /// P(Y > excess), for excess >= 0; 0 beyond the end of the law.
  double survival(double excess) const;
  /// The excess that is exceeded with a probability in (0, 1].
  double excess_at(double probability) const;
};

/// Minus the logarithm of the likelihood of a law times the density of its
/// shape, up to a constant; infinite where an excess lies beyond the law's end.
double penalised_loss(std::span<const double> excesses, const ParetoTail& law);

/// The law of at least one excess, all of them positive and finite. `start` is
/// a law to start the search from; the answer does not depend on it beyond
/// rounding.
ParetoTail fit_pareto_tail(std::span<const double> excesses,
                           const ParetoTail& start);
/// The same, started from the exponential law of their mean.
ParetoTail fit_pareto_tail(std::span<const double> excesses);

}  // namespace sbog::detail
