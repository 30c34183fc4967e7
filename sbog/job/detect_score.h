// SPDX-License-Identifier: Apache-2.0
// The job `detect score`: scores of a series by a trained detector, its alarms
// with what carries them, and quality against labels; or verdicts on points or
// images.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/events.h"
#include "sbog/job/image_detect.h"
#include "sbog/job/kind.h"
#include "sbog/job/point_score.h"
#include "sbog/job/series_input.h"
#include "sbog/series/alarms.h"

namespace sbog::job {

/// What `detect score` can be told.
struct DetectScoreOptions {
  std::string model;   ///< what `detect train` wrote
  SeriesInput input;   ///< for images only its `data` is used
  std::string out;     ///< scores, .npy, or .csv with thresholds; empty: none
  std::string plot;    ///< scores over time, .svg; empty: none
  std::string labels;  ///< 1 for anomalous rows; of images their classes
  std::optional<double> level;  ///< in (0, 1); that of the model
  std::size_t recalibrate = 0;  ///< scores the threshold follows; 0: it stays
  std::size_t gap = 10;         ///< rows below that do not end an alarm
  std::size_t top = 20;         ///< alarms or verdicts to list for people
  std::string items;  ///< of points: a line per row of the bank; empty: none
  ImageScoreSettings images;
};

const OptionTable<DetectScoreOptions>& detect_score_option_table();

/// A named share of a score.
struct ScoreShare {
  std::string name;
  double share = 0.0;
};

/// What the score at the peak of an alarm is made of, largest share first.
struct AlarmCarriers {
  std::vector<ScoreShare> channels;
  std::vector<ScoreShare> views;
};

/// How the scores agree with labels.
struct LabelQuality {
  double average_precision = 0.0;
  double vus_pr = 0.0;
  double best_f1 = 0.0;          ///< at a threshold chosen by the labels
  double f1_at_threshold = 0.0;  ///< at the thresholds of the detector
  double f1_floor = 0.0;         ///< of flagging every row
};

/// What came out.
struct DetectScoreResult {
  Status status = Status::kDone;
  DetectScoreOptions options;
  std::size_t rows = 0;
  std::size_t channels = 0;
  std::string detector;  ///< views, channel, views-batch, carla or sbog
  bool is_causal = false;
  double level = 0.0;
  double threshold = 0.0;               ///< +inf: training was too short for it
  std::vector<double> scores;           ///< one per row
  std::vector<double> thresholds;       ///< one per row
  double flagged_share = 0.0;           ///< of rows above their thresholds
  std::vector<Alarm> alarms;            ///< in order of time
  std::vector<std::string> times;       ///< of the rows; empty: none
  std::optional<LabelQuality> quality;  ///< with labels, where a row has a 1
  std::optional<ImageScoreResult> images;  ///< in place of all else
  std::optional<PointScoreResult> points;  ///< in place of all else

  /// What carries an alarm; nothing for a detector that scores whole windows.
  /// Takes some milliseconds, which is why it is not done for all beforehand.
  std::optional<AlarmCarriers> carriers(const Alarm& alarm) const;

  struct Evidence;
  std::shared_ptr<const Evidence> evidence;  ///< behind carriers()
};

/// Scores, and writes what is asked for. Throws InvalidArgument for options and
/// series that do not fit the detector, IoError for files.
DetectScoreResult run(const DetectScoreOptions& options, Events& events,
                      const Context& context = {});
/// With the carriers of every alarm.
nlohmann::ordered_json to_json(const DetectScoreResult& result);

}  // namespace sbog::job
