// SPDX-License-Identifier: Apache-2.0
// One column of a table as coordinates of a point. Two rows differ by 2 in it
// on average, squared, whatever it holds: a number by its mean and standard
// deviation, a category by one coordinate per text, a missing number by a
// coordinate of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sbog::table {

/// Texts that a column of categories may have.
inline constexpr std::size_t kMostTexts = 1000;

/// A field.
struct Cell {
  bool is_missing = false;
  double number = 0.0;   ///< of a column of numbers
  std::size_t text = 0;  ///< of a column of categories: which of its texts
};

/// What is known of a column.
struct Column {
  std::string name;
  bool is_number = true;

  // Numbers: the coordinate is (number - centre) / scale.
  double centre = 0.0;
  double scale = 1.0;
  int decimals =
      -1;            ///< of every number that is written; -1: as many as it has
  double low = 0.0;  ///< numbers that are written are in [low, high]
  double high = 0.0;
  double missing_height = 0.0;  ///< 0: no number is missing

  // Categories: `height` at the coordinate of the text, 0 at the others.
  std::vector<std::string> texts;  ///< in order; "" stands for a missing one
  double height = 1.0;

  /// Coordinates.
  std::size_t width() const;
  /// Throws InvalidArgument for a text that the column does not have.
  Cell parse(std::string_view field) const;
  std::string write(const Cell& cell) const;
  void encode(const Cell& cell, std::span<double> coordinates) const;
  /// The nearest cell that may be written.
  Cell decode(std::span<const double> coordinates) const;
};

/// A column of numbers when all fields that are not missing are numbers and it
/// is not said to hold categories. Its limits are those of its numbers. Throws
/// InvalidArgument for more than kMostTexts categories.
Column learn_column(std::string name, std::span<const std::string> fields,
                    bool is_category = false);

}  // namespace sbog::table
