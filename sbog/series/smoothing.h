// SPDX-License-Identifier: Apache-2.0
// Multi-scale smoothing: the mean over four widths of moving means. Anomalies
// last for very different times, and no single width serves them all.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sbog/series/signals.h"

namespace sbog {

/// The widths, in rows.
inline constexpr std::array<std::size_t, 4> kSmoothingWidths = {10, 30, 100,
                                                                200};
inline constexpr std::size_t kLongestWidth = kSmoothingWidths.back();

/// Moving mean of one width; beyond the ends the end value is repeated.
std::vector<double> smooth_box(std::span<const double> values,
                               std::size_t width, WindowSide side);

/// The mean of the moving means of all widths.
std::vector<double> smooth(std::span<const double> values, WindowSide side);

/// smooth(..., kTrailing) for values that arrive one by one: the same bits.
/// Keeps the last 200 values.
class SmoothingStream {
 public:
  /// Takes a value and returns the smoothed one.
  double push(double value);

 private:
  std::array<double, kLongestWidth> ring_{};
  std::size_t next_ = 0;
  bool is_started_ = false;
};

/// How much each row counts in the smoothed value of row t: (row, weight) pairs
/// for the rows of the longest window; the weights add up to 1.
struct RowWeight {
  std::size_t row;
  double weight;
};
std::vector<RowWeight> smoothing_weights(std::size_t t, std::size_t rows,
                                         WindowSide side);

}  // namespace sbog
