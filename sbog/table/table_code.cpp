// SPDX-License-Identifier: Apache-2.0
// See table_code.h.
#include "sbog/table/table_code.h"

#include <algorithm>

#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"

namespace sbog::table {
namespace {

// A short text becomes a coordinate for each text of its column: a small file
// may not become a bank that fills the memory.
constexpr std::size_t kMostNumbers = std::size_t{1} << 28;

}  // namespace

TableCode::TableCode(const TextTable& table,
                     const std::vector<std::string>& categories,
                     const TableRules& rules) {
  for (const std::string& name : categories) {
    if (std::ranges::find(table.names, name) == table.names.end()) {
      throw InvalidArgument("--categories: there is no column '" + name + "'");
    }
  }
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const std::string& name = table.names[c];
    const bool is_category =
        std::ranges::find(categories, name) != categories.end();
    columns_.push_back(learn_column(name, table.columns[c], is_category));
    width_ += columns_.back().width();
  }
  if (width_ == 0) {
    throw InvalidArgument(
        "the table: a column that is not the same in every "
        "row is expected");
  }
  if (table.rows() > kMostNumbers / width_) {
    throw InvalidArgument(
        "the table: " + with_commas(table.rows()) + " rows of " +
        with_commas(width_) + " coordinates are more than " +
        with_commas(kMostNumbers) +
        " numbers; leave columns with many texts out of --columns");
  }
  rules_ = apply_rules(rules, columns_);
}

Matrix<double> TableCode::encode(const TextTable& table) const {
  Matrix<double> points(table.rows(), width_);
  std::size_t first = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const std::size_t width = column.width();
    for (std::size_t i = 0; i < table.rows(); ++i) {
      column.encode(column.parse(table.columns[c][i]),
                    points.row(i).subspan(first, width));
    }
    first += width;
  }
  return points;
}

std::vector<std::string> TableCode::decode(
    std::span<const double> point) const {
  std::vector<std::string> fields;
  std::size_t first = 0;
  for (const Column& column : columns_) {
    const std::size_t width = column.width();
    fields.push_back(column.write(column.decode(point.subspan(first, width))));
    first += width;
  }
  return fields;
}

bool TableCode::settle(std::span<double> point,
                       std::span<const double> anchor) const {
  std::size_t first = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const std::size_t width = column.width();
    const std::span<double> mine = point.subspan(first, width);
    if (rules_[c].is_fixed && !anchor.empty()) {
      std::ranges::copy(anchor.subspan(first, width), mine.begin());
    } else {
      const std::optional<Cell>& condition = rules_[c].condition;
      column.encode(condition ? *condition : column.decode(mine), mine);
    }
    first += width;
  }
  return true;
}

}  // namespace sbog::table
