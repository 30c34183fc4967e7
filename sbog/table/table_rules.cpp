// SPDX-License-Identifier: Apache-2.0
// See table_rules.h.
#include "sbog/table/table_rules.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"

namespace sbog::table {
namespace {

std::size_t place_of(const std::string& name,
                     const std::vector<Column>& columns,
                     const std::string& option) {
  const auto found = std::ranges::find(columns, name, &Column::name);
  if (found != columns.end()) {
    return static_cast<std::size_t>(found - columns.begin());
  }
  std::string known;
  for (const Column& column : columns) {
    known += (known.empty() ? "" : ", ") + column.name;
  }
  throw InvalidArgument(option + ": there is no column '" + name +
                        "'; the table has " + known);
}

// "name=value" in two.
std::pair<std::string, std::string> halves(const std::string& text,
                                           const std::string& option) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos) {
    throw InvalidArgument(option + ": COLUMN=VALUE is expected, got '" + text +
                          "'");
  }
  return {text.substr(0, sign), text.substr(sign + 1)};
}

double limit_of(const std::string& text, double otherwise,
                const std::string& whole) {
  if (text.empty()) return otherwise;
  const std::optional<double> number = csv_number(text);
  if (!number) {
    throw InvalidArgument(
        "--bounds: COLUMN=LOW:HIGH with numbers is expected, got '" + whole +
        "'");
  }
  return *number;
}

// The numbers with the column's decimals that lie between two limits.
void set_limits(Column& column, double low, double high) {
  const double unit =
      column.decimals < 0 ? 0.0 : std::pow(10.0, column.decimals);
  if (unit > 0.0) {
    // A limit such as 0.3 is a little off the grid in binary.
    low = std::ceil(low * unit - 1e-6) / unit;
    high = std::floor(high * unit + 1e-6) / unit;
  }
  if (!(low <= high)) {
    throw InvalidArgument("--bounds: column '" + column.name +
                          "': no number it may have lies from " +
                          shortest(low) + " to " + shortest(high));
  }
  column.low = low;
  column.high = high;
}

void apply_bounds(const std::string& text, std::vector<Column>& columns) {
  const auto [name, range] = halves(text, "--bounds");
  Column& column = columns[place_of(name, columns, "--bounds")];
  if (!column.is_number) {
    throw InvalidArgument("--bounds: column '" + name + "' holds no numbers");
  }
  const std::size_t colon = range.find(':');
  if (colon == std::string::npos) {
    throw InvalidArgument("--bounds: COLUMN=LOW:HIGH is expected, got '" +
                          text + "'");
  }
  set_limits(column, limit_of(range.substr(0, colon), column.low, text),
             limit_of(range.substr(colon + 1), column.high, text));
}

}  // namespace

std::vector<ColumnRule> apply_rules(const TableRules& rules,
                                    std::vector<Column>& columns) {
  for (const std::string& text : rules.bounds) apply_bounds(text, columns);
  std::vector<ColumnRule> found(columns.size());
  for (const std::string& name : rules.fixed) {
    found[place_of(name, columns, "--fixed")].is_fixed = true;
  }
  for (const std::string& text : rules.conditions) {
    const auto [name, value] = halves(text, "--conditions");
    const std::size_t c = place_of(name, columns, "--conditions");
    if (found[c].is_fixed) {
      throw InvalidArgument("--conditions: column '" + name +
                            "' is fixed as well; one of the two is expected");
    }
    try {
      found[c].condition = columns[c].parse(value);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(std::string("--conditions: ") + error.what());
    }
  }
  return found;
}

}  // namespace sbog::table
