// SPDX-License-Identifier: Apache-2.0
// The kept windows as one table that any tool reads: the columns of the input,
// then which scenario a row belongs to and whether it was changed.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sbog/scenario/scenario.h"
#include "sbog/series/series.h"

namespace sbog::job {

/// Names of the columns after those of the input, in order:
///   scenario  number of the window, as in decoded/windows.npy
///   row       row of the input that the values were made from
///   label     1 between the first and the last sample that counts as changed
///             (measure_edit.h) in any channel, else 0
///   edited    names of those channels in this row, joined by "+"
/// Each gets "sbog_" before it where the input has a column of that name.
std::vector<std::string> scenario_columns(
    const std::vector<std::string>& input_columns);

/// Writes the table. `time_column` is the name of the input's column of times,
/// written first when the series has times; `ranges` are lowest and highest
/// recorded value of each channel. Numbers read back as the same. Throws
/// IoError.
void write_scenario_table(const std::string& path,
                          const std::vector<const series::Scenario*>& scenarios,
                          const Series& series, const std::string& time_column,
                          const std::vector<std::pair<double, double>>& ranges);

}  // namespace sbog::job
