// SPDX-License-Identifier: Apache-2.0
// Statistics of the recording; see recorded_spans.h.
#include "sbog/scenario/recorded_spans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "sbog/energy/threshold.h"

namespace sbog::series {
namespace {

constexpr std::size_t kShortestSpan = 6;
constexpr double kStepOfLengths = std::numbers::sqrt2;
// Spans overlap: neighbours say nearly the same, but their number decides which
// rarity a fit may state, and which starts it sees.
constexpr std::size_t kStarts = 25;
constexpr double kStillShare = 0.2;  // of the median step
// What is small beside how far windows usually swing is no news, however much
// it is beside a span that hardly moved.
constexpr double kQuietPart = 0.1;     // of the unit of amplitudes
constexpr double kQuietShare = 0.1;    // of the fast steps
constexpr std::size_t kDriftPart = 4;  // of a window
// Fewer spans tell nothing.
constexpr std::size_t kFewestSpans = 20;
// Targets stay off the very end of what can be told.
constexpr double kInside = 1.001;

std::size_t stride_of(std::size_t length) {
  return std::max<std::size_t>(1, length / kStarts);
}

double median_step(std::span<const double> row) {
  std::vector<double> steps;
  for (std::size_t t = 0; t + 1 < row.size(); ++t) {
    const double step = std::abs(row[t + 1] - row[t]);
    if (step > 0.0) steps.push_back(step);
  }
  return steps.empty() ? 0.0 : quantile(steps, 0.5);
}

double correlation_of(std::span<const double> a, std::span<const double> b) {
  double product = 0.0;
  double left = 0.0;
  double right = 0.0;
  for (std::size_t t = 0; t < a.size(); ++t) {
    product += a[t] * b[t];
    left += a[t] * a[t];
    right += b[t] * b[t];
  }
  const double scale = std::sqrt(left * right);
  return scale > 0.0 ? product / scale : 0.0;
}

}  // namespace

std::vector<std::size_t> span_lengths(std::size_t width) {
  std::vector<std::size_t> lengths;
  // Halves are exact, so that no length hangs on the last bit of a root.
  double whole = static_cast<double>(width);
  for (std::size_t i = 0;; ++i) {
    const double length = i % 2 == 0 ? whole : whole / kStepOfLengths;
    const auto rows = static_cast<std::size_t>(std::lround(length));
    if (rows < kShortestSpan) return lengths;
    lengths.push_back(rows);
    if (i % 2 == 1) whole /= 2.0;
  }
}

std::vector<double> tone_periods() {
  std::vector<double> periods;
  for (double period = kShortestPeriod; period <= kLongestPeriod;
       period *= kStepOfLengths) {
    periods.push_back(period);
  }
  return periods;
}

SpanTail::SpanTail(std::span<const double> statistics, std::size_t stride,
                   std::size_t length, bool drifts)
    : tail_(statistics, {length, stride}),
      is_estimate_(model().has_fit() && !drifts) {}

double SpanTail::least_p() const {
  return is_estimate_ ? model().rarest()
                      : 1.0 / (static_cast<double>(size()) + 1.0);
}

std::size_t SpanTail::highest_severity() const {
  std::size_t severity = 0;
  while (target(severity + 1, 1)) ++severity;
  return severity;
}

SpanRarity SpanTail::rarity(double statistic) const {
  SpanRarity rarity;
  rarity.is_estimate = is_estimate_;
  const double least = least_p();
  if (!is_estimate_) {
    rarity.p = conformal_p_value(model().scores(), statistic);
    rarity.is_bound = rarity.p <= least;
    return rarity;
  }
  const double p = model().probability(statistic);
  rarity.is_bound = p < least;
  rarity.p = std::max(p, least);
  return rarity;
}

std::optional<ReturnPeriod> SpanTail::period(double statistic) const {
  return is_estimate_ ? tail_.period(statistic) : std::nullopt;
}

std::optional<double> SpanTail::target(std::size_t severity,
                                       std::size_t edits) const {
  if (size() < kFewestSpans) return std::nullopt;
  const double count = static_cast<double>(edits);
  const double least = least_p();
  const double p = std::max(band_middle(severity) / count, kInside * least);
  if (severity_of(std::min(1.0, p * count)) != severity) return std::nullopt;
  if (is_estimate_) return model().score_at(p);
  // (1 + above) / (n + 1) <= p, just beyond the next recorded value.
  const double n = static_cast<double>(size());
  const auto above = static_cast<std::size_t>(p * (n + 1.0) - 1.0);
  const double edge = model().scores()[size() - 1 - above];
  return std::nextafter(edge, std::numeric_limits<double>::infinity());
}

RecordedSpans::RecordedSpans(const WindowSource& windows,
                             const std::vector<ChannelProfile>& profiles)
    : windows_(&windows),
      profiles_(&profiles),
      rows_(windows.channels(), windows.rows()) {
  for (std::size_t c = 0; c < rows_.rows(); ++c) {
    const auto raw = windows.raw_series(c);
    for (std::size_t t = 0; t < raw.size(); ++t) {
      rows_(c, t) = profiles[c].to_standard(raw[t]);
    }
    still_steps_.push_back(kStillShare * median_step(rows_.row(c)));
  }
  for (std::size_t c = 0; c < rows_.rows(); ++c) {
    drift_.push_back(drift_of(c));
  }
}

SpanRows RecordedSpans::recorded(const SpanKey& key) const {
  SpanRows rows;
  rows.row = rows_.row(key.channel);
  rows.quiet = kQuietPart * (*profiles_)[key.channel].unit;
  rows.quiet_step = kQuietShare * (*profiles_)[key.channel].slew;
  rows.still_step = still_steps_[key.channel];
  rows.period = key.period;
  if (!reads_partner(key.measure)) return rows;
  rows.partner = rows_.row(key.partner);
  const Partnership& known = partnership(key.channel, key.partner);
  rows.correlation = known.correlation;
  rows.usual_lag = known.usual_lag;
  return rows;
}

const RecordedSpans::Partnership& RecordedSpans::partnership(
    std::size_t channel, std::size_t partner) const {
  Partnership* entry = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    auto& place = partnerships_[{channel, partner}];
    if (!place) place = std::make_unique<Partnership>();
    entry = place.get();
  }
  std::call_once(entry->once, [&] {
    const auto own = rows_.row(channel);
    const auto other = rows_.row(partner);
    entry->correlation = correlation_of(own, other);
    entry->usual_lag = usual_lag(own, other);
  });
  return *entry;
}

std::vector<double> RecordedSpans::statistics(const SpanKey& key,
                                              std::size_t stride) const {
  const SpanRows rows = recorded(key);
  std::vector<double> found;
  for (std::size_t first = 0; first + key.length <= rows_.cols();
       first += stride) {
    // What looks at the span before waits for a whole one.
    if (first < key.length) continue;
    if (const auto value =
            span_statistic(key.measure, rows, first, key.length)) {
      found.push_back(*value);
    }
  }
  return found;
}

const SpanTail& RecordedSpans::tail(const SpanKey& key) const {
  Entry* entry = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    auto& place = entries_[key];
    if (!place) place = std::make_unique<Entry>();
    entry = place.get();
  }
  std::call_once(entry->once, [&] {
    const std::size_t stride = stride_of(key.length);
    entry->tail =
        std::make_unique<SpanTail>(statistics(key, stride), stride, key.length,
                                   drift_[key.channel].drifts);
  });
  return *entry->tail;
}

DriftCheck RecordedSpans::drift_of(std::size_t channel) const {
  if ((*profiles_)[channel].kind == ChannelClass::kConstant) return {};
  const std::size_t length =
      std::max(kShortestSpan, windows_->width() / kDriftPart);
  const ScoreClock clock{length, stride_of(length)};
  return check_drift(
      statistics({SpanMeasure::kShift, channel, channel, length, 0.0},
                 clock.stride),
      clock.run());
}

}  // namespace sbog::series
