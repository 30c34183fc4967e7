// SPDX-License-Identifier: Apache-2.0
// Reading a series that a job is told by name.
#pragma once

#include <string>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/job/events.h"
#include "sbog/series/read_series.h"

namespace sbog::job {

/// Which series, and how to read it.
struct SeriesInput {
  std::string data;  ///< a file as `read_series` takes it, or "demo:..."
  std::string time;  ///< column of the times; empty: detected; "none"
  std::vector<std::string> columns;  ///< channels of a table; empty: all
};

OptionTable<SeriesInput> series_input_table();
/// The same for an input that may be images as well.
OptionTable<SeriesInput> series_or_images_table();

/// What the help says about the column of the times.
std::string time_column_help();

/// Reads a file or embedded data and notes what was mended. Throws IoError,
/// InvalidArgument.
LoadedSeries load_series(const SeriesInput& input, Events& events);

}  // namespace sbog::job
