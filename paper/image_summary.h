// SPDX-License-Identifier: Apache-2.0
// Cells about images as rows of a table: each method on each out-of-
// distribution set and on their mean, over the seeds.
#pragma once

#include <string>
#include <vector>

#include "paper/experiment.h"

namespace sbog::paper {

/// The columns that all tables about images begin with.
std::vector<Column> image_columns();

/// One row of such a table.
struct ImageTableRow {
  std::string method;
  std::string outside;       ///< a set, or "mean"
  std::vector<Json> values;  ///< one per column of image_columns()
  /// Of a row of means: set, outliers, what they are shown to and figures, a
  /// flat object.
  Json chart;
};

/// Cells of one set and one row, all seeds: set by set, the rows of a set in
/// the order of their first member.
std::vector<std::vector<FinishedCell>> by_method(
    const std::vector<FinishedCell>& cells);

/// For each set and method, in the order of the cells, a row of means over the
/// out-of-distribution sets and then a row for each of them.
std::vector<ImageTableRow> image_table_rows(
    const std::vector<FinishedCell>& cells);

/// Bars of the mean FPR95: outliers in the order of the rows, one bar for each
/// kind of detector that they are shown to.
Json image_chart(const std::string& title,
                 const std::vector<ImageTableRow>& rows);

/// What the columns mean, the sizes, and the processor seconds by part.
std::vector<std::string> image_notes(const std::vector<FinishedCell>& cells);

}  // namespace sbog::paper
