// SPDX-License-Identifier: Apache-2.0
// `sbog train series` without its command line: torch/ does it, no_torch/ says
// that this build cannot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "console.h"
#include "series_input.h"

namespace sbog::cli {

/// The command line. What is not given comes from the profile.
struct TrainSeriesArguments {
  SeriesInput input;
  std::string out;
  std::string profile = "repaired";
  std::size_t width = 200;
  std::size_t stride = 0;  ///< 0: at most 5,000 windows
  std::optional<std::size_t> epochs;
  std::optional<std::size_t> batch;
  std::optional<std::size_t> mid;
  std::optional<std::size_t> head;
  std::optional<std::string> loss;
  std::optional<std::string> space;
  bool is_resumed = false;
};

/// Trains, writes the model and says how it went. Returns the exit code.
/// Throws IoError, InvalidArgument.
int train_series(const TrainSeriesArguments& arguments,
                 const CommonOptions& common);

}  // namespace sbog::cli
