// SPDX-License-Identifier: Apache-2.0
// Reading a series named on the command line, for every command that takes one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "console.h"
#include "sbog/series/read_series.h"

namespace sbog::cli {

/// Which series, and how to read it.
struct SeriesInput {
  std::string data;
  std::string time;
  std::vector<std::string> columns;
};

/// Declares the positional argument and its options.
void declare_series_input(CLI::App& command, SeriesInput& input);

/// Reads a file or embedded data and notes what was mended. Throws IoError,
/// InvalidArgument.
LoadedSeries load_series(const SeriesInput& input, const Console& console);

}  // namespace sbog::cli
