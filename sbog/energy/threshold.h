// SPDX-License-Identifier: Apache-2.0
// From energies to a threshold: sample quantile plus margin, or the
// split-conformal order statistic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sbog {

/// How a quantile between two order statistics is read.
enum class QuantileRule {
  kLinear,  ///< type 7: linear between the neighbours
  kHigher,  ///< the upper neighbour
};

/// The q-quantile, 0 <= q <= 1, of at least one value. NaN is refused; +inf is
/// allowed and orders above every finite value.
double quantile(std::span<const double> values, double q,
                QuantileRule rule = QuantileRule::kLinear);
/// Several quantiles with one sort.
std::vector<double> quantiles(std::span<const double> values,
                              std::span<const double> levels,
                              QuantileRule rule = QuantileRule::kLinear);

/// Where a threshold comes from.
enum class ThresholdRule { kQuantile, kConformal };

/// Options of calibrate_threshold.
struct ThresholdOptions {
  ThresholdRule rule = ThresholdRule::kQuantile;
  double level = 0.95;  ///< share of in-distribution points below, in (0, 1)
  double margin = 0.0;  ///< added to the quantile; finite
  QuantileRule quantile_rule = QuantileRule::kLinear;
};

/// A threshold tau and how it was made.
struct Threshold {
  double value = 0.0;
  ThresholdRule rule = ThresholdRule::kQuantile;
  double level = 0.95;
  double margin = 0.0;
  std::size_t calibration_count = 0;
};

/// kQuantile: quantile(level) + margin. kConformal: the ceil(level (n+1))-th
/// smallest energy + margin, +inf when that exceeds n; then a fresh
/// in-distribution point has P(E > tau) <= 1 - level, provided the energies are
/// of points that are not in the reference (margin >= 0).
Threshold calibrate_threshold(std::span<const double> energies,
                              const ThresholdOptions& options);

/// Share of values strictly above the threshold.
double share_above(std::span<const double> energies, double threshold);

/// Conformal p-value of an energy: (1 + #{calibration >= energy}) / (n + 1).
double conformal_p_value(std::span<const double> calibration, double energy);

}  // namespace sbog
