// SPDX-License-Identifier: Apache-2.0
// From scores to alarms, and what carries an alarm: shares of views and
// channels that add up to the score.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/series/detector.h"

namespace sbog {

/// Rows [first, end) with scores above the threshold.
struct Alarm {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t peak = 0;  ///< the row of the largest score, the first of several
  double score = 0.0;    ///< there
};

/// Runs of rows above their thresholds, in order of time. Runs with at most
/// `gap` rows between them are one alarm. Throws InvalidArgument unless there
/// is one threshold per score.
std::vector<Alarm> find_alarms(std::span<const double> scores,
                               std::span<const double> thresholds,
                               std::size_t gap = 10);

/// What the score of one row is made of.
struct Explanation {
  double score = 0.0;
  /// views x channels; all entries add up to the score.
  Matrix<double> shares;

  /// Sums over the channels and over the views.
  std::vector<double> views() const;
  std::vector<double> channels() const;
};

/// Explains scores of one series.
class Explainer {
 public:
  /// The detector and what it said stay the caller's. Throws InvalidArgument
  /// unless the scores belong to the values.
  Explainer(const Detector& detector, MatrixView<const double> values,
            const DetectorScores& scores);

  /// The score of row t is a weighted sum over the rows of its smoothing
  /// window and over views. A joint view is split among channels by squared
  /// distances to the Gibbs mean of the bank (at the 16 rows that count most);
  /// one per channel by how far each energy lies above its median.
  Explanation explain(std::size_t t) const;

 private:
  std::vector<double> joint_split(std::size_t view,
                                  std::span<const double> amounts,
                                  std::size_t first) const;

  const Detector* detector_;
  const DetectorScores* scores_;
  SignalSet signals_;
};

}  // namespace sbog
