// SPDX-License-Identifier: Apache-2.0
// The files of a finished run on a series: points, table, windows, edits,
// metrics and plots.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sbog/run/run_folder.h"
#include "sbog/scenario/scenario.h"
#include "sbog/series/series.h"

namespace sbog::job {

/// Writes outliers.npy (points of the kept windows), outliers.csv (one row per
/// output asked for), decoded/windows.npy and decoded/sources.npy (kept x width
/// x channels, raw units), decoded/scenarios.csv (scenario_table.h),
/// decoded/edits.json, metrics.json and the first `plots` plots. `is_kept` has
/// one entry per scenario; `time_column` is the name of the column of times.
void write_scenario_files(const RunFolder& folder,
                          const series::ScenarioRun& run,
                          const std::vector<bool>& is_kept,
                          const Series& series, const std::string& time_column,
                          std::size_t plots);

/// Lowest and highest recorded value of each channel.
std::vector<std::pair<double, double>> channel_ranges(const Series& series);

}  // namespace sbog::job
