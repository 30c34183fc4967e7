// SPDX-License-Identifier: Apache-2.0
// How rare a value of a span statistic is in a recording: spans of one length
// are taken all over it, a twenty-fifth of their length apart, and the tail of
// their statistics is fitted once for each (measure, channel, partner, length,
// period) that is asked for.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/scenario/channel_profile.h"
#include "sbog/scenario/severity.h"
#include "sbog/scenario/span_statistic.h"
#include "sbog/series/return_period.h"
#include "sbog/series/window_source.h"

namespace sbog::series {

/// Which statistic of which spans.
struct SpanKey {
  SpanMeasure measure = SpanMeasure::kShift;
  std::size_t channel = 0;
  std::size_t partner = 0;  ///< the channel itself where none is read
  std::size_t length = 0;
  double period = 0.0;  ///< tone only

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 there
  auto operator<=>(const SpanKey&) const = default;
};

/// Lengths of spans, longest first: the width over powers of the square root of
/// 2, down to 6 rows.
std::vector<std::size_t> span_lengths(std::size_t width);
/// Periods of oscillations, 5 to 100 rows by steps of the square root of 2.
std::vector<double> tone_periods();

/// The tail of one statistic.
class SpanTail {
 public:
  /// Statistics of spans in the order of time, each `stride` rows after the one
  /// before and `length` rows long. With `drifts`, or with too few spans for a
  /// fit, rarities are shares of the recorded spans: (1 + #{as large or
  /// larger}) / (n + 1), without a return period.
  SpanTail(std::span<const double> statistics, std::size_t stride,
           std::size_t length, bool drifts);

  std::size_t size() const { return model().count(); }
  bool is_estimate() const { return is_estimate_; }
  /// The smallest p that is told.
  double least_p() const;
  /// The highest severity that the recording can tell.
  std::size_t highest_severity() const;
  /// Without its period, which takes longer.
  SpanRarity rarity(double statistic) const;
  /// How often such a statistic returns; none where rarities are shares.
  std::optional<ReturnPeriod> period(double statistic) const;
  /// A statistic in the middle of the band of a severity, for one of `edits`
  /// edits; nothing when the recording cannot tell such a rarity.
  std::optional<double> target(std::size_t severity, std::size_t edits) const;

 private:
  const TailModel& model() const { return tail_.tail(); }

  SeriesTail tail_;
  bool is_estimate_ = false;
};

/// See the top of the file.
class RecordedSpans {
 public:
  /// Windows and profiles stay the caller's.
  RecordedSpans(const WindowSource& windows,
                const std::vector<ChannelProfile>& profiles);

  const WindowSource& windows() const { return *windows_; }
  const std::vector<ChannelProfile>& profiles() const { return *profiles_; }
  /// A channel of the whole recording in standard units.
  std::span<const double> row(std::size_t channel) const {
    return rows_.row(channel);
  }
  /// What is known of a channel, with the rows of the recording.
  SpanRows recorded(const SpanKey& key) const;
  /// Made at the first call. Safe to call from several threads.
  const SpanTail& tail(const SpanKey& key) const;
  /// One per channel, of mean shifts of a quarter of a window.
  const std::vector<DriftCheck>& drift() const { return drift_; }

 private:
  std::vector<double> statistics(const SpanKey& key, std::size_t stride) const;
  DriftCheck drift_of(std::size_t channel) const;

  // How a channel goes with a partner.
  struct Partnership {
    std::once_flag once;
    double correlation = 0.0;
    double usual_lag = 0.0;
  };
  const Partnership& partnership(std::size_t channel,
                                 std::size_t partner) const;

  const WindowSource* windows_;
  const std::vector<ChannelProfile>* profiles_;
  Matrix<double> rows_;  // channels x rows
  std::vector<double> still_steps_;
  std::vector<DriftCheck> drift_;
  struct Entry {
    std::once_flag once;
    std::unique_ptr<SpanTail> tail;
  };
  mutable std::mutex mutex_;
  mutable std::map<SpanKey, std::unique_ptr<Entry>> entries_;
  mutable std::map<std::pair<std::size_t, std::size_t>,
                   std::unique_ptr<Partnership>>
      partnerships_;
};

}  // namespace sbog::series
