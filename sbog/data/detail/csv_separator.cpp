// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/csv_separator.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sbog/base/errors.h"
#include "sbog/data/csv.h"
#include "sbog/data/detail/csv_scanner.h"

namespace sbog::detail {
namespace {

constexpr std::array kSeparators = {',', ';', '\t'};
constexpr std::size_t kMostRecords = 20;

// The share of the fields that hold a number or nothing; none where the records
// are not split into one number of fields.
std::optional<double> share_of_numbers(std::string_view text, char separator) {
  CsvScanner scanner(text, separator, "");
  std::vector<std::string_view> fields;
  std::size_t width = 0;
  std::size_t all = 0;
  std::size_t numbers = 0;
  try {
    for (std::size_t i = 0; i < kMostRecords && scanner.next(fields); ++i) {
      if (scanner.is_blank()) continue;
      if (width == 0) width = fields.size();
      if (fields.size() != width || width < 2) return std::nullopt;
      all += width;
      numbers += static_cast<std::size_t>(
          std::ranges::count_if(fields, [&](std::string_view field) {
            return is_csv_number(field) || is_csv_missing(field) ||
                   (separator != ',' && has_decimal_comma(field));
          }));
    }
  } catch (const IoError&) {
    return std::nullopt;  // quotes that do not fit this separator
  }
  if (all == 0) return std::nullopt;
  return static_cast<double>(numbers) / static_cast<double>(all);
}

}  // namespace

char find_separator(std::string_view text) {
  char found = ',';
  double best = -1.0;
  for (const char separator : kSeparators) {
    const std::optional<double> share = share_of_numbers(text, separator);
    if (share && *share > best) {
      best = *share;
      found = separator;
    }
  }
  return found;
}

std::string separator_name(char separator) {
  switch (separator) {
    case ',':
      return "a comma";
    case ';':
      return "a semicolon";
    case '\t':
      return "a tab";
    default:
      return "'" + std::string(1, separator) + "'";
  }
}

bool has_decimal_comma(std::string_view field) {
  const std::size_t comma = field.find(',');
  if (comma == field.npos || field.find('.') != field.npos) return false;
  std::string with_point(field);
  with_point[comma] = '.';
  return is_csv_number(with_point);
}

void write_decimal_points(std::vector<std::string>& fields) {
  for (std::string& field : fields) {
    if (has_decimal_comma(field)) field[field.find(',')] = '.';
  }
}

}  // namespace sbog::detail
