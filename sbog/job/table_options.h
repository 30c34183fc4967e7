// SPDX-License-Identifier: Apache-2.0
// What only `generate` on a table is told.
#pragma once

#include <string>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/table/table_rules.h"

namespace sbog::job {

/// Columns and what made rows are held to.
struct TableSettings {
  std::vector<std::string> categories;  ///< columns of numbers that are names
  table::TableRules rules;
};

OptionTable<TableSettings> table_option_table();

}  // namespace sbog::job
