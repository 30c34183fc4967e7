// SPDX-License-Identifier: Apache-2.0
// The job `detect train`: a detector of anomalies in a series, learnt without
// labels from one that is taken to be normal; of unusual points beside a bank;
// or of images of no known class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/events.h"
#include "sbog/job/image_detect.h"
#include "sbog/job/kind.h"
#include "sbog/job/point_train.h"
#include "sbog/job/series_input.h"
#include "sbog/series/cluster_detector.h"

namespace sbog::job {

/// What `detect train` can be told.
struct DetectTrainOptions {
  SeriesInput input;  ///< for images only its `data` is used
  std::string out;    ///< file of the detector; for some of images a folder
  Kind kind = Kind::kAuto;  ///< or found out
  /// views, channel or views-batch: energies of rows; carla or sbog: an encoder
  /// of windows with a head.
  std::string detector = "views";
  std::optional<double> level;  ///< series 0.99, points and images 0.95
  std::uint64_t seed = 0;

  // Energies of rows.
  bool causal = false;
  std::size_t joint_rows = 3000;
  std::size_t line_rows = 0;

  // Encoder and head.
  std::size_t width = 200;
  std::size_t stride = 0;  ///< 0: at most 5,000 windows
  /// Encoder 30 and head 50; points 12; for images see ImageDetectorOptions.
  std::optional<std::size_t> epochs;

  ImageDetectorSettings images;
  /// Its data, columns, out, level, epochs and seed are those above.
  PointTrainOptions points;
};

const OptionTable<DetectTrainOptions>& detect_train_option_table();

/// What is known of an encoder with a head.
struct ClusterTraining {
  std::size_t windows = 0;
  std::size_t width = 0;
  std::size_t stride = 0;
  std::size_t classes = 0;
  double pair_distance = 0.0;  ///< of the encoder
  bool is_encoder_collapsed = false;
  series::ClusterDiagnostics head;
};

/// What came out.
struct DetectTrainResult {
  /// kNotReached: encoder or head have collapsed.
  Status status = Status::kDone;
  DetectTrainOptions options;
  std::size_t rows = 0;
  std::size_t channels = 0;
  double level = 0.0;
  double threshold = 0.0;  ///< +inf: the series is too short for the level
  std::size_t filled_values = 0;
  std::size_t constant_channels = 0;
  std::size_t gaps = 0;
  double seconds = 0.0;
  std::optional<ClusterTraining> clusters;    ///< of carla and sbog
  std::optional<ImageDetectorResult> images;  ///< in place of all else
  std::optional<PointTrainResult> points;     ///< in place of all else
};

/// Trains and writes the detector. Throws InvalidArgument for options and
/// series that cannot be learnt from, IoError for files.
DetectTrainResult run(const DetectTrainOptions& options, Events& events,
                      const Context& context = {});
nlohmann::ordered_json to_json(const DetectTrainResult& result);

}  // namespace sbog::job
