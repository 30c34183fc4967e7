// SPDX-License-Identifier: Apache-2.0
// Scores as rows arrive, one at a time, in constant memory; and a threshold
// that follows the recent scores.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/series/detector.h"
#include "sbog/series/smoothing.h"

namespace sbog {

/// A threshold that is raised when recent scores are high throughout: the
/// level-quantile (conformal) of the last `window` scores, taken anew every
/// window / 10 rows, but never below that of the training series. It keeps a
/// drifted series from alarming all the time, at a price: an anomaly longer
/// than (1 - level) of the window raises its own threshold.
class RollingThreshold {
 public:
  /// A window of 0 leaves the threshold where it is. Throws InvalidArgument
  /// unless the level lies in (0, 1).
  RollingThreshold(double base, double level, std::size_t window);

  /// The threshold for a score, from the scores before it; then remembers it.
  double push(double score);

 private:
  double base_;
  double level_;
  std::size_t window_;
  std::size_t period_;
  std::vector<double> ring_;
  std::size_t seen_ = 0;
  double current_;
};

/// The thresholds of a whole series of scores.
std::vector<double> rolling_thresholds(std::span<const double> scores,
                                       double base, double level,
                                       std::size_t window);

/// What a stream says about a row.
struct StreamScore {
  double score = 0.0;
  double threshold = 0.0;
  bool is_alarm = false;      ///< score above threshold
  std::vector<double> parts;  ///< what each view adds before smoothing
};

/// Gives a causal detector its rows one by one: the same bits as
/// Detector::score on all of them. Holds the last 200 values and 50 rows
/// besides the detector.
class DetectorStream {
 public:
  /// The detector stays the caller's. Throws InvalidArgument unless it is
  /// causal. `recalibration`: window of the rolling threshold, 0 for none.
  explicit DetectorStream(const Detector& detector,
                          std::size_t recalibration = 0);

  /// Throws InvalidArgument for another number of channels or a value that is
  /// not finite; the row is then as if it had not come.
  StreamScore push(std::span<const double> row);

  /// Rows so far.
  std::size_t rows() const { return rows_; }

 private:
  const Detector* detector_;
  SignalStream signals_;
  SmoothingStream smoothing_;
  RollingThreshold threshold_;
  std::size_t rows_ = 0;
};

}  // namespace sbog
