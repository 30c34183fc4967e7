// SPDX-License-Identifier: Apache-2.0
// See table_options.h.
#include "sbog/job/table_options.h"

namespace sbog::job {
namespace {

OptionTable<table::TableRules> rule_option_table() {
  using R = table::TableRules;
  OptionTable<R> table;
  table.stage("Tables");
  table
      .add("fixed", &R::fixed,
           "Columns whose field is that of the row an outlier is made from")
      .kinds(kForTables)
      .value("NAMES")
      .without("none");
  table
      .add("bounds", &R::bounds,
           "Smallest and largest number of a column, as age=0:120; either may "
           "be left out")
      .kinds(kForTables)
      .value("COLUMN=LOW:HIGH")
      .without("the smallest and largest in the table");
  table
      .add("conditions", &R::conditions,
           "Value that a column has in every outlier, as age=40; nothing after "
           "the sign: it is missing")
      .kinds(kForTables)
      .value("COLUMN=VALUE")
      .without("none");
  return table;
}

}  // namespace

OptionTable<TableSettings> table_option_table() {
  using S = TableSettings;
  OptionTable<S> table;
  table.stage("Tables");
  table
      .add("categories", &S::categories,
           "Columns whose numbers are names of something, such as codes")
      .kinds(kForTables)
      .value("NAMES")
      .without("columns that hold other texts than numbers");
  table.include(rule_option_table(), &S::rules);
  return table;
}

}  // namespace sbog::job
