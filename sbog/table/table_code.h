// SPDX-License-Identifier: Apache-2.0
// A table of numbers and categories as points, and points as rows of it. Every
// point that is held to the rules is the code of a row, so that what is tested
// of a point holds for the row that is written.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/sample/point_rules.h"
#include "sbog/table/column.h"
#include "sbog/table/table_rules.h"
#include "sbog/table/text_table.h"

namespace sbog::table {

/// See the top of the file.
class TableCode : public PointRules {
 public:
  /// Learns the columns of a table. `categories` names columns whose numbers
  /// are names of something. Throws InvalidArgument, see table_rules.h and
  /// learn_column, and for a table whose code would fill the memory.
  explicit TableCode(const TextTable& table,
                     const std::vector<std::string>& categories = {},
                     const TableRules& rules = {});

  const std::vector<Column>& columns() const { return columns_; }
  /// Coordinates of a point.
  std::size_t width() const { return width_; }
  /// One point per row of a table with the same columns.
  Matrix<double> encode(const TextTable& table) const;
  /// The fields of the row that a point stands for.
  std::vector<std::string> decode(std::span<const double> point) const;
  /// To the code of the nearest row that the rules allow.
  bool settle(std::span<double> point,
              std::span<const double> anchor) const override;

 private:
  std::vector<Column> columns_;
  std::vector<ColumnRule> rules_;
  std::size_t width_ = 0;
};

}  // namespace sbog::table
