// SPDX-License-Identifier: Apache-2.0
// Detectors of unusual points, such as embeddings of texts or images: the part
// of the job `detect train` that is about points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/detect/point_detector.h"
#include "sbog/job/epsilon_setting.h"
#include "sbog/job/events.h"
#include "sbog/sample/sampler_options.h"

namespace sbog::job {

/// What only `detect train` on points is told.
struct PointDetectorSettings {
  std::vector<std::string> sum;  ///< scores of the score sum; empty: by labels
  std::string calibration;       ///< rows for the threshold; empty: held out
  std::string items;             ///< a line per bank row; empty: none
  std::string soe_reference = "class";  ///< or all
  double shrinkage = 0.01;
  RadiusRange radius = {false, 1.5, 4.0};  ///< `auto` is refused
  std::size_t outliers_per_epoch = 3000;
};

OptionTable<PointDetectorSettings> point_detector_table();

/// The whole of a training.
struct PointTrainOptions {
  std::string data;
  std::vector<std::string> columns;  ///< of a table; empty: all
  std::string out;
  std::string labels;         ///< class of each row; empty: one class
  std::string class_names;    ///< a line per class; empty: none
  std::string score = "sum";  ///< or one of point_score_names()
  double level = 0.95;
  double held_out = 0.2;
  std::size_t neighbours = 5;
  EpsilonSetting epsilon;
  std::size_t epochs = 12;
  std::uint64_t seed = 0;
  PointDetectorSettings settings;
};

/// Whether the score, or one of those of the sum, has this name.
bool uses_score(const PointTrainOptions& options, bool has_classes,
                std::string_view name);

/// The detector that is asked for. Throws InvalidArgument for options out of
/// range, and for scores that need classes where there are none.
detect::PointDetectorOptions point_detector_options(
    const PointTrainOptions& options, bool has_classes);

/// The sentence to warn with where a threshold is infinite; `what` is rows or
/// images.
std::string too_few_held_out(std::size_t held_out, const std::string& what);

/// What came of a training.
struct PointTrainResult {
  Status status = Status::kDone;
  PointTrainOptions options;
  std::vector<std::string> scores;  ///< one, or those of the sum
  std::size_t bank = 0;             ///< rows that were learnt from
  std::size_t held_out = 0;         ///< rows behind the threshold
  std::size_t dimensions = 0;
  std::size_t classes = 0;
  std::size_t outliers = 0;  ///< shown to the head
  double threshold = 0.0;    ///< +inf: too few held-out rows for the level
  double seconds = 0.0;
};

/// Trains a detector and writes it. Throws InvalidArgument, IoError.
PointTrainResult train_points(const PointTrainOptions& options, Events& events,
                              const Context& context = {});
nlohmann::ordered_json to_json(const PointTrainResult& result);

/// Rows of a file or of embedded data, divided by their lengths. Throws
/// InvalidArgument for values that are not finite, for rows of zeros and for
/// another number of columns than `dim`, where that is not 0.
Matrix<float> load_unit_rows(const std::string& spec,
                             const std::vector<std::string>& columns,
                             std::size_t dim = 0);

/// The lines of a text, one per row; control characters become spaces. Throws
/// IoError for a file that cannot be read, InvalidArgument for another number
/// of lines than `rows`.
std::vector<std::string> load_items(const std::string& path, std::size_t rows);

}  // namespace sbog::job
