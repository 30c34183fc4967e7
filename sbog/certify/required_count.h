// SPDX-License-Identifier: Apache-2.0
// How many reference points it takes until the decisions E(v) >= tau of a whole
// pool of candidates agree with those of the population: the bound of the paper
// (Hoeffding) beside ours (one-sided kl at the contour). And the highest energy
// that n points can certify: even when none of them supports a candidate, they
// only show K <= 1 - failure^(1/n).
#pragma once

#include <optional>
#include <span>

namespace sbog {

/// A pool of candidates that are no closer to the threshold than a margin.
struct PoolSetting {
  double epsilon = 0.05;
  double threshold = 0.0;  ///< tau, finite
  double margin = 0.0;     ///< Delta_E > 0: the smallest |E(v) - tau|
  double pool = 1.0;       ///< |V| >= 1: candidates decided at once
  double delta = 0.05;     ///< allowed probability of any wrong decision
  /// The highest energy in the pool, whose support is Kmin; unless given,
  /// threshold + margin.
  std::optional<double> highest_energy;
};

/// The same question answered four ways, before rounding up. +inf where a
/// number is out of range.
struct RequiredCounts {
  double log_min_support = 0.0;  ///< log Kmin
  /// Paper: log(2|V|/delta) max{2/Kmin^2, 8 eps^2/(Kmin margin)^2}.
  double hoeffding = 0.0;
  /// Every energy of the pool known to margin/2, by kl on both sides.
  double relative = 0.0;
  /// log(|V|/delta) / kl(kappa||kappa e^-b), b = margin/eps: ours.
  double one_sided = 0.0;
  /// The same with kl >= kappa (b - 1 + e^-b): a little larger, closed form.
  double one_sided_closed = 0.0;
};

/// Throws InvalidArgument for a setting out of range.
RequiredCounts required_counts(const PoolSetting& setting);

/// Bound on the probability that n reference points decide any of these
/// energies otherwise than the population, whose energies they are:
/// sum_v exp(-n kl(kappa||K(v))), at most 1. The energies may be infinite.
double flip_probability(std::span<const double> energies, double threshold,
                        double epsilon, double count);

/// The smallest n for which that sum is at most delta; +inf when an energy
/// equals the threshold. 1 without energies.
double count_for_flip_probability(std::span<const double> energies,
                                  double threshold, double epsilon,
                                  double delta);

/// t_n = sqrt(log(2|V|/delta)/(2n)) of the paper's theorem, and what follows.
struct HoeffdingBound {
  double deviation = 0.0;       ///< t_n, of every support at once
  bool is_vacuous = true;       ///< t_n > Kmin/2: nothing follows for energies
  double error = 0.0;           ///< 2 eps t_n / Kmin, unless vacuous
  double highest_energy = 0.0;  ///< energies above this are never covered
};

/// Theorem 3.4 at n points.
HoeffdingBound hoeffding_bound(const PoolSetting& setting, double count);

/// epsilon log(1 / (1 - failure^(1/n))), about epsilon log(n / log(1/failure)).
/// `failure` is delta / |V| for a one-sided statement about a pool of |V|, and
/// a quarter of that for combined_interval. A threshold above it can never be
/// certified. Throws InvalidArgument for arguments out of range.
double certifiable_ceiling(double epsilon, double count, double failure);

/// The epsilon at which the ceiling is `threshold` >= 0, all else equal.
double smallest_epsilon(double threshold, double count, double failure);

/// The real n at which the ceiling is `threshold` >= 0.
double smallest_count(double threshold, double epsilon, double failure);

}  // namespace sbog
