// SPDX-License-Identifier: Apache-2.0
// See column.h.
#include "sbog/table/column.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"

namespace sbog::table {
namespace {

constexpr double kHighest = 3.0;  // for what hardly ever differs
constexpr int kMostDecimals = 9;

// Height of a coordinate at which two rows differ by 2, squared and on average,
// when a share `differing` of all pairs differs in two such coordinates.
double height_of(double differing) {
  return std::min(kHighest, 1.0 / std::sqrt(std::max(differing, 1e-9)));
}

// Digits after the point; -1 for a number that is written otherwise.
int decimals_of(std::string_view field) {
  if (field.find_first_of("eE") != std::string_view::npos) return -1;
  const std::size_t point = field.find('.');
  if (point == std::string_view::npos) return 0;
  const std::size_t end = field.find_last_of("0123456789");
  const auto count =
      end == std::string_view::npos || end < point ? 0 : end - point;
  return count > kMostDecimals ? -1 : static_cast<int>(count);
}

void learn_numbers(std::span<const std::string> fields, Column& column) {
  std::vector<double> numbers;
  bool is_on_grid = true;
  column.decimals = 0;
  for (const std::string& field : fields) {
    if (is_csv_missing(field)) continue;
    numbers.push_back(*csv_number(field));
    const int decimals = decimals_of(field);
    is_on_grid = is_on_grid && decimals >= 0;
    column.decimals = std::max(column.decimals, decimals);
  }
  if (!is_on_grid) column.decimals = -1;
  const auto n = static_cast<double>(numbers.size());
  for (const double x : numbers) column.centre += x / n;
  double variance = 0.0;
  for (const double x : numbers) {
    variance += (x - column.centre) * (x - column.centre) / n;
  }
  if (variance > 0.0 && std::isfinite(variance)) {
    column.scale = std::sqrt(variance);
  }
  const auto [low, high] = std::ranges::minmax(numbers);
  column.low = low;
  column.high = high;
  const double missing = 1.0 - n / static_cast<double>(fields.size());
  if (missing > 0.0) {
    column.missing_height = height_of(missing * (1.0 - missing));
  }
}

void learn_texts(std::span<const std::string> fields, Column& column) {
  column.is_number = false;
  std::map<std::string, std::size_t> counts;
  for (const std::string& field : fields) {
    ++counts[is_csv_missing(field) ? std::string() : field];
    if (counts.size() > kMostTexts) {
      throw InvalidArgument(
          "column '" + column.name + "' holds more than " +
          with_commas(kMostTexts) +
          " different texts; leave it out of --columns, or write numbers only");
    }
  }
  double same = 0.0;
  for (const auto& [text, count] : counts) {
    column.texts.push_back(text);
    const double share =
        static_cast<double>(count) / static_cast<double>(fields.size());
    same += share * share;
  }
  column.height = height_of(1.0 - same);
}

double rounded(double number, int decimals) {
  if (decimals < 0) return number;
  const double unit = std::pow(10.0, decimals);
  const double grid = std::round(number * unit) / unit;
  return std::isfinite(grid) ? grid : number;
}

}  // namespace

std::size_t Column::width() const {
  if (is_number) return missing_height > 0.0 ? 2 : 1;
  return texts.size() > 1 ? texts.size() : 0;
}

Cell Column::parse(std::string_view field) const {
  const bool is_missing = is_csv_missing(field);
  if (!is_number) {
    const std::string text(is_missing ? std::string_view() : field);
    const auto found = std::ranges::lower_bound(texts, text);
    if (found == texts.end() || *found != text) {
      throw InvalidArgument("column '" + name + "': " +
                            (is_missing
                                 ? "no field is missing"
                                 : "the text '" + text + "' does not occur"));
    }
    return {is_missing, 0.0, static_cast<std::size_t>(found - texts.begin())};
  }
  if (is_missing && missing_height > 0.0) return {true, 0.0, 0};
  const std::optional<double> number = csv_number(field);
  if (!number) {
    throw InvalidArgument("column '" + name + "': " +
                          (is_missing ? "no number is missing"
                                      : "a number is expected, got '" +
                                            std::string(field) + "'"));
  }
  return {false, *number, 0};
}

std::string Column::write(const Cell& cell) const {
  if (!is_number) return texts[cell.text];
  if (cell.is_missing) return {};
  char text[400];  // the largest double has 309 digits
  if (decimals < 0) {
    std::snprintf(text, sizeof text, "%.15g", cell.number);
  } else {
    const double number = rounded(cell.number, decimals);
    std::snprintf(text, sizeof text, "%.*f", decimals,
                  number == 0.0 ? 0.0 : number);
  }
  return text;
}

void Column::encode(const Cell& cell, std::span<double> coordinates) const {
  std::ranges::fill(coordinates, 0.0);
  if (!is_number) {
    if (!coordinates.empty()) coordinates[cell.text] = height;
  } else if (cell.is_missing) {
    coordinates[1] = missing_height;
  } else {
    coordinates[0] = (cell.number - centre) / scale;
  }
}

Cell Column::decode(std::span<const double> coordinates) const {
  if (!is_number) {
    if (coordinates.empty()) return {texts[0].empty(), 0.0, 0};
    const auto highest = std::ranges::max_element(coordinates);
    const auto text = static_cast<std::size_t>(highest - coordinates.begin());
    return {texts[text].empty(), 0.0, text};
  }
  if (missing_height > 0.0 && coordinates[1] > 0.5 * missing_height) {
    return {true, 0.0, 0};
  }
  const double number = rounded(centre + scale * coordinates[0], decimals);
  return {false, std::clamp(number, low, high), 0};
}

Column learn_column(std::string name, std::span<const std::string> fields,
                    bool is_category) {
  Column column;
  column.name = std::move(name);
  bool has_number = false;
  for (const std::string& field : fields) {
    if (is_csv_missing(field)) continue;
    has_number = true;
    is_category = is_category || !is_csv_number(field);
  }
  if (has_number && !is_category) {
    learn_numbers(fields, column);
  } else {
    learn_texts(fields, column);
  }
  return column;
}

}  // namespace sbog::table
