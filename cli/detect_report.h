// SPDX-License-Identifier: Apache-2.0
// What `sbog detect score` says: alarms with what carries them, the share of
// rows flagged, quality against labels; to people and to machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "console.h"
#include "sbog/series/alarms.h"
#include "sbog/series/detector.h"
#include "sbog/series/series.h"

namespace sbog::cli {

/// A scored series.
struct ScoredSeries {
  /// Says what carries an alarm; null: a detector that cannot.
  const Detector* detector = nullptr;
  std::string kind;    ///< name of the detector
  double level = 0.0;  ///< share of normal rows meant to be below the threshold
  const Series* series = nullptr;
  DetectorScores scores;
  std::vector<double> thresholds;    ///< one per row
  std::vector<Alarm> alarms;         ///< in order of time
  std::vector<std::int64_t> labels;  ///< empty: none given
  std::size_t top = 20;              ///< alarms to print
};

/// Share of rows above their thresholds.
double flagged_share(const ScoredSeries& scored);

/// Prints the result to standard output and warns of drift.
void report_detection(const ScoredSeries& scored, const CommonOptions& common);

/// Writes scores: .npy, or .csv with row, time, score, threshold and alarm.
void write_scores(const std::string& path, const ScoredSeries& scored);

}  // namespace sbog::cli
