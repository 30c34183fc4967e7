// SPDX-License-Identifier: Apache-2.0
// How often a score of windows returns.
//
// Windows overlap, so high scores come in runs. Exceedances of a level closer
// than a run length are one event; the extremal index theta is the number of
// events over that of exceedances (runs estimator). A score that a window
// exceeds with probability p then returns every stride x sampling interval /
// (theta p). A recording that drifts has no such period: its last fifth tells.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/energy/rarity.h"

namespace sbog {

/// Positions of the highest score of every event: a run of scores above
/// `threshold` of which neighbours are less than `run` positions apart. The
/// first of equal ones; scores that are not finite belong to no event.
std::vector<std::size_t> event_peaks(std::span<const double> scores,
                                     double threshold, std::size_t run);

/// Events over exceedances, in (0, 1]; 1 without exceedances.
double extremal_index(std::span<const double> scores, double threshold,
                      std::size_t run);

/// How scores of windows lie in time.
struct WindowClock {
  std::size_t width = 1;   ///< rows of a window
  std::size_t stride = 1;  ///< rows from one score to the next
  /// Seconds from row to row; without it periods are in windows.
  std::optional<double> seconds_per_row;

  /// Windows that overlap are one event: width / stride, rounded up.
  std::size_t run() const { return (width + stride - 1) / stride; }
};

/// What a recording says about its own last fifth.
struct DriftCheck {
  enum class Verdict {
    kStable,    ///< observed within a factor 3 of asked
    kDrifts,    ///< not so: no return period, no estimate of rarity
    kTooShort,  ///< fewer than three exceedances would be expected
  };
  Verdict verdict = Verdict::kTooShort;
  double asked = 0.01;
  double observed = 0.0;  ///< share of the last fifth beyond that score
  std::size_t count = 0;  ///< windows of the last fifth

  /// One sentence, without a full stop.
  std::string sentence() const;
};

/// Calibrates on the first four fifths, looks at the last.
DriftCheck check_drift(std::span<const double> scores);

/// How long until a score returns, in seconds, or in windows without times.
struct ReturnPeriod {
  double period = 0.0;
  double low = 0.0;
  double high = 0.0;       ///< infinite when no longest period is claimed
  bool is_beyond = false;  ///< longer than `period`, by how much is not said
  bool is_in_windows = false;
  double confidence = 0.95;
};

/// "about once in 41 days (95 %: 17 to 160)", "less than once in 200 days".
std::string words_of(const ReturnPeriod& period);

/// The tail of scores in the order of time.
class SeriesTail {
 public:
  /// Throws InvalidArgument for a width or stride of 0 and an interval that is
  /// not positive. options.run_length is set from the extremal index at the
  /// 0.90 quantile.
  SeriesTail(std::span<const double> scores, const WindowClock& clock,
             TailOptions options = {});

  const TailModel& tail() const { return tail_; }
  double extremal_index() const { return index_; }
  const DriftCheck& drift() const { return drift_; }
  /// None when there is no estimate, or when the recording drifts.
  std::optional<ReturnPeriod> period(double score) const;
  /// The words of the period, or why there is none.
  std::string words(double score) const;

 private:
  WindowClock clock_;
  double index_ = 1.0;
  TailModel tail_;
  DriftCheck drift_;
};

}  // namespace sbog
