// SPDX-License-Identifier: Apache-2.0
// The mean and the least of a list.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>

namespace sbog {

/// Added from left to right; 0 without values.
inline double mean_of(std::span<const double> values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

/// The smallest; 0 without values.
inline double least_of(std::span<const double> values) {
  return values.empty() ? 0.0 : *std::min_element(values.begin(), values.end());
}

}  // namespace sbog
