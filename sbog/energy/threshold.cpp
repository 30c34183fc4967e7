// SPDX-License-Identifier: Apache-2.0
// Quantiles and thresholds; see threshold.h.
#include "sbog/energy/threshold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) {
    throw InvalidArgument("quantile: at least one value is expected");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      throw InvalidArgument("quantile: value " + std::to_string(i) + " is NaN");
    }
  }
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

double quantile_of_sorted(std::span<const double> sorted_values, double q,
                          QuantileRule rule) {
  if (!(q >= 0.0 && q <= 1.0)) {
    throw InvalidArgument("quantile: a level in [0, 1] is expected, got " +
                          std::to_string(q));
  }
  const double position = q * static_cast<double>(sorted_values.size() - 1);
  const double lower = std::floor(position);
  const double fraction = position - lower;
  const auto index = static_cast<std::size_t>(lower);
  // The first case also keeps inf - inf from being formed.
  if (fraction == 0.0 || sorted_values[index] == sorted_values[index + 1]) {
    return sorted_values[index];
  }
  if (rule == QuantileRule::kHigher) {
    // A hair above an order statistic is that one: 0.55 * 100 is 55.
    return sorted_values[fraction > 1e-14 * position ? index + 1 : index];
  }
  return sorted_values[index] +
         fraction * (sorted_values[index + 1] - sorted_values[index]);
}

double conformal_value(std::span<const double> sorted_values, double level) {
  const auto count = static_cast<double>(sorted_values.size());
  // A hair below the exact product is the product: 0.95 * 20 is 19.
  const double rank = std::ceil(level * (count + 1.0) * (1.0 - 1e-14));
  if (rank > count) return std::numeric_limits<double>::infinity();
  return sorted_values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

double quantile(std::span<const double> values, double q, QuantileRule rule) {
  return quantile_of_sorted(sorted(values), q, rule);
}

std::vector<double> quantiles(std::span<const double> values,
                              std::span<const double> levels,
                              QuantileRule rule) {
  const std::vector<double> ordered = sorted(values);
  std::vector<double> result;
  result.reserve(levels.size());
  for (const double level : levels) {
    result.push_back(quantile_of_sorted(ordered, level, rule));
  }
  return result;
}

Threshold calibrate_threshold(std::span<const double> energies,
                              const ThresholdOptions& options) {
  if (!(options.level > 0.0 && options.level < 1.0)) {
    throw InvalidArgument("threshold: a level in (0, 1) is expected, got " +
                          std::to_string(options.level));
  }
  if (!std::isfinite(options.margin)) {
    throw InvalidArgument("threshold: a finite margin is expected");
  }
  const std::vector<double> ordered = sorted(energies);
  const double base =
      options.rule == ThresholdRule::kConformal
          ? conformal_value(ordered, options.level)
          : quantile_of_sorted(ordered, options.level, options.quantile_rule);
  return {base + options.margin, options.rule, options.level, options.margin,
          energies.size()};
}

double share_above(std::span<const double> energies, double threshold) {
  if (energies.empty()) return 0.0;
  const auto above = std::count_if(energies.begin(), energies.end(),
                                   [&](double e) { return e > threshold; });
  return static_cast<double>(above) / static_cast<double>(energies.size());
}

double conformal_p_value(std::span<const double> calibration, double energy) {
  const auto at_least = std::count_if(calibration.begin(), calibration.end(),
                                      [&](double e) { return e >= energy; });
  return (1.0 + static_cast<double>(at_least)) /
         (1.0 + static_cast<double>(calibration.size()));
}

}  // namespace sbog
