// SPDX-License-Identifier: Apache-2.0
// Events, drift and periods; see return_period.h.
#include "sbog/series/return_period.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace {

constexpr double kDriftFactor = 3.0;
// Below so many events a share is apart by chance.
constexpr double kFewestEvents = 5.0;
constexpr std::size_t kFewestExceedances = 25;  // for an extremal index
constexpr double kLongest = 5.0;                // in recordings

TailModel plain_tail(std::span<const double> scores, const ScoreClock& clock) {
  require("return period", clock.length > 0 && clock.stride > 0,
          "a length and a stride of at least 1 are expected");
  return TailModel(scores, {.draws = 0});
}

struct Unit {
  double seconds;
  const char* one;
  const char* many;
};

// From two of a unit on: 90 minutes, but 2 hours.
Unit unit_of(double rows, double row_seconds) {
  constexpr std::array kUnits = {
      Unit{365.25 * 86400.0, "year", "years"}, Unit{86400.0, "day", "days"},
      Unit{3600.0, "hour", "hours"}, Unit{60.0, "minute", "minutes"},
      Unit{1.0, "second", "seconds"}};
  if (!(row_seconds > 0.0)) return {1.0, "row", "rows"};
  for (const Unit& unit : kUnits) {
    if (rows * row_seconds >= 2.0 * unit.seconds) return unit;
  }
  return kUnits.back();
}

// Rows in a unit.
double count_of(double rows, double row_seconds, const Unit& unit) {
  return row_seconds > 0.0 ? rows * row_seconds / unit.seconds : rows;
}

// Two digits: more would claim what nobody knows.
std::string rounded(double value) {
  if (value >= 100.0) {
    const double step = std::pow(10.0, std::floor(std::log10(value)) - 1.0);
    return with_commas(static_cast<std::uint64_t>(
        std::llround(step * std::round(value / step))));
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

}  // namespace

std::vector<std::size_t> event_peaks(std::span<const double> scores,
                                     double threshold, std::size_t run) {
  std::vector<std::size_t> peaks;
  std::optional<std::size_t> last;  // exceedance
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i]) || !(scores[i] > threshold)) continue;
    if (!last || i - *last >= run) {
      peaks.push_back(i);
    } else if (scores[i] > scores[peaks.back()]) {
      peaks.back() = i;
    }
    last = i;
  }
  return peaks;
}

double extremal_index(std::span<const double> scores, double threshold,
                      std::size_t run) {
  const auto exceedances = std::count_if(
      scores.begin(), scores.end(),
      [&](double score) { return std::isfinite(score) && score > threshold; });
  if (exceedances == 0) return 1.0;
  return static_cast<double>(event_peaks(scores, threshold, run).size()) /
         static_cast<double>(exceedances);
}

DriftCheck check_drift(std::span<const double> scores, std::size_t run) {
  DriftCheck check;
  const std::size_t before = scores.size() - scores.size() / 5;
  if (before == scores.size() || before == 0) return check;
  const std::span<const double> first = scores.first(before);
  const std::span<const double> last = scores.subspan(before);
  const double level = quantile(first, 1.0 - check.asked);
  const auto above = std::count_if(last.begin(), last.end(),
                                   [&](double x) { return x > level; });
  const auto length = static_cast<double>(last.size());
  check.observed = static_cast<double>(above) / length;
  const auto events = static_cast<double>(event_peaks(last, level, run).size());
  const double expected =
      static_cast<double>(event_peaks(first, level, run).size()) * length /
      static_cast<double>(first.size());
  check.drifts = (check.observed > kDriftFactor * check.asked &&
                  events >= kFewestEvents) ||
                 (check.observed * kDriftFactor < check.asked &&
                  expected >= kFewestEvents);
  return check;
}

std::string describe_rows(double rows, double row_seconds) {
  const Unit unit = unit_of(rows, row_seconds);
  const std::string size = rounded(count_of(rows, row_seconds, unit));
  return size + " " + (size == "1" ? unit.one : unit.many);
}

std::string describe_period(const ReturnPeriod& period, double row_seconds) {
  const std::string length = describe_rows(period.rows, row_seconds);
  if (period.is_beyond) {
    return "less than once in " + length + ", five times this recording";
  }
  const Unit unit = unit_of(period.rows, row_seconds);
  const auto in_unit = [&](double rows) {
    return rounded(count_of(rows, row_seconds, unit));
  };
  return "about once in " + length +
         " of this recording (95 %: " + in_unit(period.low) +
         (std::isinf(period.high) ? " or more)"
                                  : " to " + in_unit(period.high) + ")");
}

SeriesTail::SeriesTail(std::span<const double> scores, const ScoreClock& clock)
    : clock_(clock), tail_(plain_tail(scores, clock)) {
  if (!tail_.has_fit()) return;
  const std::span<const double> sorted = tail_.scores();
  std::size_t above = sorted.size() / 10;
  for (; above >= kFewestExceedances; above /= 2) {
    const double level = sorted[sorted.size() - 1 - above];
    if (!indices_.empty() && !(level > indices_.back().first)) continue;
    indices_.emplace_back(level,
                          sbog::extremal_index(scores, level, clock.run()));
  }
}

double SeriesTail::extremal_index(double score) const {
  if (indices_.empty()) return 1.0;
  const auto next = std::ranges::upper_bound(
      indices_, score, {}, [](const auto& entry) { return entry.first; });
  if (next == indices_.begin()) return indices_.front().second;
  if (next == indices_.end()) return indices_.back().second;
  const auto& [low, at_low] = *(next - 1);
  const auto& [high, at_high] = *next;
  return at_low + (score - low) / (high - low) * (at_high - at_low);
}

std::optional<ReturnPeriod> SeriesTail::period(double score) const {
  if (!tail_.has_fit()) return std::nullopt;
  std::call_once(once_, [&] {
    const double index = indices_.empty() ? 1.0 : indices_.front().second;
    with_intervals_ = std::make_unique<TailModel>(
        tail_.scores(), TailOptions{.run_length = 1.0 / index});
  });
  const RarityEstimate rarity = with_intervals_->rarity(score);
  const double step =
      static_cast<double>(clock_.stride) / extremal_index(score);
  const double longest = kLongest * static_cast<double>(clock_.stride) *
                         static_cast<double>(tail_.count());
  ReturnPeriod found;
  found.rows = step / tail_.probability(score);
  found.is_beyond = found.rows > longest;
  found.rows = std::min(found.rows, longest);
  found.low = std::min(step / rarity.high, found.rows);
  const double high = step / rarity.low;
  found.high = rarity.low <= with_intervals_->rarest() || high > longest
                   ? std::numeric_limits<double>::infinity()
                   : std::max(high, found.rows);
  return found;
}

}  // namespace sbog
