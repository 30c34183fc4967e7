// SPDX-License-Identifier: Apache-2.0
// What a made row of a table is held to, as people write it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sbog/table/column.h"

namespace sbog::table {

/// Words about columns.
struct TableRules {
  std::vector<std::string> fixed;   ///< columns that keep the anchor's field
  std::vector<std::string> bounds;  ///< "age=0:120"; one end may be empty
  std::vector<std::string>
      conditions;  ///< "age=40", "job=", the latter missing
};

/// The same for one column.
struct ColumnRule {
  bool is_fixed = false;
  std::optional<Cell> condition;
};

/// Sets the limits of the columns and gives the other rules, one per column.
/// Throws InvalidArgument for a column that is not there, limits of a column
/// that holds no numbers or between which there is none, a value that a column
/// cannot have, and for a column that is both fixed and told a value.
std::vector<ColumnRule> apply_rules(const TableRules& rules,
                                    std::vector<Column>& columns);

}  // namespace sbog::table
