// SPDX-License-Identifier: Apache-2.0
// Axes of plots: where ticks stand and what they say.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sbog {

/// A tick: where, and its label.
struct Tick {
  double value = 0.0;
  std::string label;
  std::string below = {};  ///< a second line, such as the day, or empty
};

/// A range of values and its ticks.
struct Axis {
  double low = 0.0;
  double high = 1.0;  ///< above low
  bool is_log = false;
  std::vector<Tick> ticks;
  std::string caption;  ///< what all labels have in common, or empty

  /// 0 at low, 1 at high, kept within [-1, 2]; on a log axis values at or below
  /// 0 are at 0.
  double position(double value) const;
};

/// Ticks at multiples of 1, 2 or 5 times a power of ten within [low, high], at
/// most `most_ticks` + 1 and at least two. A range without extent is widened.
/// Throws InvalidArgument unless low <= high, both finite.
Axis make_axis(double low, double high, std::size_t most_ticks);

/// Ticks at powers of ten, with 2 and 5 between them when there are few. Throws
/// InvalidArgument unless 0 < low < high, both finite.
Axis make_log_axis(double low, double high);

/// Positions 0 .. count - 1 of a series, labelled by their times if there are
/// any (one per row), else by first_row + position. Times that end in zeros are
/// preferred; the beginning that all labels share, such as the day, becomes the
/// caption. Across midnight labels are times of day, and the day stands below
/// the first tick and below those where it changes; ticks that are a day or
/// more apart at midnight are labelled by their days.
Axis make_time_axis(std::size_t count, std::span<const std::string> times,
                    std::size_t first_row, std::size_t most_ticks);

/// A number as a person would write it: at most `digits` significant ones, no
/// exponent between 1e-4 and 1e7.
std::string short_number(double value, int digits = 4);

}  // namespace sbog
