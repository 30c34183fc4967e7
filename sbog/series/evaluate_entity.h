// SPDX-License-Identifier: Apache-2.0
// Every detector of the room on one labelled series, in one harness: the
// detectors, and the simple rules raw and with the same smoothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/series/detector_options.h"
#include "sbog/series/series.h"

namespace sbog {

/// Quality of scores, row by row, nothing adjusted to segments.
struct DetectionQuality {
  double average_precision = 0.0;
  double best_f1 = 0.0;  ///< over all thresholds: tuned on the labels
  double vus_pr = 0.0;   ///< buffers 0, 20, ..., 100
};

/// nullopt without a label 1.
std::optional<DetectionQuality> detection_quality(
    std::span<const double> scores, std::span<const std::int64_t> labels);

/// One detector on one entity.
struct EvaluationRow {
  std::string detector;  ///< "views", "range multi" and so on
  DetectionQuality quality;
  /// F1 and share of rows flagged at the threshold that needs no labels; only
  /// for detectors that have one.
  std::optional<double> threshold_f1;
  std::optional<double> flagged_share;
  double seconds = 0.0;  ///< training and scoring, wall clock
  /// The same in time of all processors that worked for this process.
  double processor_seconds = 0.0;
};

/// What is evaluated.
struct EvaluationOptions {
  DetectorOptions detector;  ///< kind is set per row
  bool has_baselines = true;
  std::uint64_t seed = 0;  ///< of the random rule and of k-means
};

/// Rows: views, views-batch, channel (without views-batch when causal), then
/// each simple rule raw, "m100" (moving mean of 100) and "multi" (the
/// detector's smoothing). Throws InvalidArgument for labels without a 1.
std::vector<EvaluationRow> evaluate_entity(const SeriesEntity& entity,
                                           const EvaluationOptions& options,
                                           const Context& context = {});

}  // namespace sbog
