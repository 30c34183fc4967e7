// SPDX-License-Identifier: Apache-2.0
// `sbog detect` with the detectors carla and sbog, an encoder of windows and a
// head that was trained against negatives: torch/ does it, no_torch/ says that
// this build cannot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "sbog/base/progress.h"
#include "sbog/job/series_input.h"
#include "sbog/series/series.h"

namespace sbog::cli {

/// The command line.
struct ClusterTrainArguments {
  job::SeriesInput input;
  std::string out;
  std::string detector;  ///< carla or sbog
  double level = 0.99;
  std::size_t width = 200;
  std::size_t stride = 0;  ///< 0: at most 5,000 windows
  std::optional<std::size_t> epochs;
};

/// Trains, writes the detector and says how it went. Returns the exit code.
/// Throws IoError, InvalidArgument.
int train_clusters(const ClusterTrainArguments& arguments,
                   const CommonOptions& common);

/// A series scored by such a detector.
struct ClusterScores {
  std::string detector;  ///< carla or sbog
  double level = 0.0;
  double threshold = 0.0;
  std::vector<double> scores;  ///< one per row
};

/// Scores with the detector of a file at `level`, 0: its own. Throws IoError,
/// InvalidArgument.
ClusterScores score_clusters(const std::string& model, const Series& series,
                             double level, const Context& context);

/// Whether a safetensors file is a detector of this kind. Throws IoError.
bool is_cluster_file(const std::string& path);

}  // namespace sbog::cli
