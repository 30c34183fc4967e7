// SPDX-License-Identifier: Apache-2.0
// Events, drift and periods; see return_period.h.
#include "sbog/series/return_period.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace {

constexpr double kEventLevel = 0.90;  // quantile whose exceedances are events
constexpr double kDriftFactor = 3.0;
constexpr double kFewestExpected = 3.0;

std::vector<double> finite_of(std::span<const double> scores) {
  std::vector<double> finite;
  for (const double score : scores) {
    if (std::isfinite(score)) finite.push_back(score);
  }
  return finite;
}

double index_of(std::span<const double> scores, const WindowClock& clock) {
  require("return period", clock.width > 0 && clock.stride > 0,
          "a width and a stride of at least 1 are expected");
  require("return period",
          !clock.seconds_per_row || (*clock.seconds_per_row > 0.0 &&
                                     std::isfinite(*clock.seconds_per_row)),
          "a positive time from row to row is expected");
  const std::vector<double> finite = finite_of(scores);
  if (finite.empty()) return 1.0;
  return extremal_index(scores, quantile(finite, kEventLevel), clock.run());
}

TailOptions with_run_length(TailOptions options, double index) {
  options.run_length = 1.0 / index;
  return options;
}

struct Unit {
  double seconds;
  double below;  // used for periods below so many seconds
  const char* one;
  const char* many;
};
constexpr std::array kUnits = {
    Unit{1.0, 90.0, "second", "seconds"},
    Unit{60.0, 90.0 * 60.0, "minute", "minutes"},
    Unit{3600.0, 36.0 * 3600.0, "hour", "hours"},
    Unit{86400.0, 730.0 * 86400.0, "day", "days"},
    Unit{365.25 * 86400.0, std::numeric_limits<double>::infinity(), "year",
         "years"},
};
constexpr Unit kWindows = {1.0, 0.0, "window", "windows"};

const Unit& unit_of(const ReturnPeriod& period) {
  if (period.is_in_windows) return kWindows;
  return *std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) {
    return period.period < unit.below;
  });
}

// Two digits: more would claim what nobody knows.
std::string rounded(double value) {
  if (value < 9.95) return shortest(std::round(10.0 * value) / 10.0);
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1.0);
  return with_commas(static_cast<std::uint64_t>(
      std::llround(std::round(value / unit) * unit)));
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

DriftCheck check_drift(std::span<const double> scores) {
  DriftCheck check;
  const std::size_t first = scores.size() - scores.size() / 5;
  const std::vector<double> late = finite_of(scores.subspan(first));
  check.count = late.size();
  if (check.asked * static_cast<double>(late.size()) < kFewestExpected) {
    return check;
  }
  const TailModel early(scores.first(first), {.draws = 0});
  check.observed =
      early.count() == 0 ? 1.0 : share_above(late, early.score_at(check.asked));
  const bool is_near = check.observed <= kDriftFactor * check.asked &&
                       check.observed >= check.asked / kDriftFactor;
  check.verdict =
      is_near ? DriftCheck::Verdict::kStable : DriftCheck::Verdict::kDrifts;
  return check;
}

std::string DriftCheck::sentence() const {
  if (verdict == Verdict::kTooShort) {
    return "the recording is too short to tell whether it drifts";
  }
  const std::string observed_words =
      observed > 0.0 ? one_in(observed)
                     : "none of " + with_commas(count) + " windows";
  return std::string(verdict == Verdict::kDrifts
                         ? "the recording drifts, its rarity is unknown"
                         : "the recording is stable") +
         ": of its last fifth, where " + one_in(asked) +
         " was expected beyond a score, it was " + observed_words;
}

SeriesTail::SeriesTail(std::span<const double> scores, const WindowClock& clock,
                       TailOptions options)
    : clock_(clock),
      index_(index_of(scores, clock)),
      tail_(scores, with_run_length(options, index_)),
      drift_(check_drift(scores)) {}

std::optional<ReturnPeriod> SeriesTail::period(double score) const {
  if (drift_.verdict == DriftCheck::Verdict::kDrifts) return std::nullopt;
  const RarityEstimate rarity = tail_.rarity(score);
  if (!rarity.probability) return std::nullopt;
  const double step =
      clock_.seconds_per_row
          ? static_cast<double>(clock_.stride) * *clock_.seconds_per_row
          : 1.0;
  ReturnPeriod found;
  found.is_in_windows = !clock_.seconds_per_row;
  found.confidence = tail_.confidence();
  found.is_beyond = rarity.is_beyond;
  found.period = step / (index_ * *rarity.probability);
  found.low = step / (index_ * rarity.high);
  found.high = rarity.low <= tail_.rarest()
                   ? std::numeric_limits<double>::infinity()
                   : step / (index_ * rarity.low);
  return found;
}

std::string words_of(const ReturnPeriod& period) {
  const Unit& unit = unit_of(period);
  const std::string length = rounded(period.period / unit.seconds);
  const std::string named =
      length + " " + (length == "1" ? unit.one : unit.many);
  if (period.is_beyond) return "less than once in " + named;
  const std::string low = rounded(period.low / unit.seconds);
  return "about once in " + named + " (" +
         shortest(std::round(1000.0 * period.confidence) / 10.0) + " %: " +
         (std::isinf(period.high)
              ? low + " or more)"
              : low + " to " + rounded(period.high / unit.seconds) + ")");
}

std::string SeriesTail::words(double score) const {
  if (const std::optional<ReturnPeriod> found = period(score)) {
    return words_of(*found);
  }
  if (drift_.verdict == DriftCheck::Verdict::kDrifts) return drift_.sentence();
  return "at most about " + one_in(tail_.rarity(score).bound) + " windows";
}

}  // namespace sbog
