// SPDX-License-Identifier: Apache-2.0
// How often a score of a recording returns.
//
// Windows or spans overlap, so high scores come in runs. Exceedances of a level
// closer than a run length are one event; the extremal index theta is the
// number of events over that of exceedances (runs estimator). A score that is
// exceeded with probability p then returns every stride / (theta p) rows, with
// theta at that score, since neighbours exceed a higher score less often
// together. Nothing longer than five times the recording is stated. A recording
// that drifts has no such period: its last fifth tells.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

/// What a recording says about its own last fifth: a score that 1 in 100 exceed
/// before it, and the share that does in it.
struct DriftCheck {
  double asked = 0.01;
  double observed = 0.01;
  bool drifts = false;  ///< apart by more than a factor of 3, not by chance
};

/// Of scores in the order of time; `run` as in event_peaks(). Fewer than five
/// events are taken for chance.
DriftCheck check_drift(std::span<const double> scores, std::size_t run);

/// How long until a score returns, in rows.
struct ReturnPeriod {
  double rows = 0.0;
  double low = 0.0;        ///< ends of the 95 % interval
  double high = 0.0;       ///< infinite when no longest period is claimed
  bool is_beyond = false;  ///< longer than `rows`, by how much is not said

  bool operator==(const ReturnPeriod&) const = default;
};

/// "50 minutes", "41 days", or "50 rows" where the time of a row is unknown
/// (0): two digits.
std::string describe_rows(double rows, double row_seconds);

/// "about once in 41 days of this recording (95 %: 17 to 160)", "less than once
/// in 200 days, five times this recording".
std::string describe_period(const ReturnPeriod& period, double row_seconds);

/// How scores lie in time.
struct ScoreClock {
  std::size_t length = 1;  ///< rows that a score is about
  std::size_t stride = 1;  ///< rows from one score to the next

  /// Scores whose rows overlap are one event: length / stride, rounded up.
  std::size_t run() const { return (length + stride - 1) / stride; }
};

/// The tail of scores in the order of time.
class SeriesTail {
 public:
  /// Throws InvalidArgument for a length or stride of 0.
  SeriesTail(std::span<const double> scores, const ScoreClock& clock);

  const TailModel& tail() const { return tail_; }
  /// At a score, as far as 25 exceedances tell; 1 without a fit.
  double extremal_index(double score) const;
  /// None without a fit. The first call is the one that costs. Safe to call
  /// from several threads.
  std::optional<ReturnPeriod> period(double score) const;

 private:
  ScoreClock clock_;
  TailModel tail_;
  /// Levels, increasing, each with its extremal index.
  std::vector<std::pair<double, double>> indices_;
  mutable std::once_flag once_;
  /// The same tail with intervals that know of the runs.
  mutable std::unique_ptr<TailModel> with_intervals_;
};

}  // namespace sbog
