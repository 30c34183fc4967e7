// SPDX-License-Identifier: Apache-2.0
// Ticks and labels; see axis.h.
#include "sbog/report/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/report/svg.h"

namespace sbog {
namespace {

constexpr double kPlainAbove = 1e-4;
constexpr double kPlainBelow = 1e7;
constexpr std::size_t kLongestTime = 22;

// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
double nice_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1.0 - 1e-12)) return factor * power;
  }
  return 10.0 * power;
}

void widen(double& low, double& high) {
  const double size = std::max(std::abs(low), std::abs(high));
  // Relative to the size, so that ticks remain distinct numbers.
  const double least = size > 1e-290 ? 1e-9 * size : 1.0;
  if (high / 2.0 - low / 2.0 > least / 2.0) return;
  const double step = size > 1e-290 ? 0.05 * size : 1.0;
  low -= std::min(step, 1e308);
  high += std::min(step, 1e308);
}

std::string plain(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string tick_label(double value, double step, double largest) {
  if (largest >= kPlainBelow || largest < kPlainAbove) {
    const int digits =
        static_cast<int>(std::floor(std::log10(largest) - std::log10(step))) +
        2;
    return short_number(value, std::clamp(digits, 1, 15));
  }
  const int decimals = static_cast<int>(
      std::clamp(-std::floor(std::log10(step) + 1e-9), 0.0, 12.0));
  return plain(value, decimals);
}

// Up to and with the last blank or T of what the two texts begin with.
std::size_t common_beginning(const std::string& a, const std::string& b) {
  std::size_t cut = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) break;
    if (a[i] == ' ' || a[i] == 'T') cut = i + 1;
  }
  return cut;
}

// How round a time looks: the zeros at its end, colons and the like aside.
int roundness(const std::string& time) {
  int zeros = 0;
  for (std::size_t i = time.size(); i-- > 0;) {
    if (time[i] == '0') {
      ++zeros;
    } else if (time[i] >= '1' && time[i] <= '9') {
      break;
    }
  }
  return zeros;
}

// Steps that may fall on round times: of numbers, and of minutes and hours.
std::set<std::size_t> steps_between(std::size_t least, std::size_t most) {
  std::set<std::size_t> steps = {least};
  for (const std::size_t unit : {1U, 12U, 60U, 1440U}) {
    for (std::size_t power = unit; power <= most; power *= 10) {
      for (const std::size_t factor : {1U, 2U, 3U, 5U, 6U}) {
        const std::size_t step = power * factor;
        if (step >= least && step <= most) steps.insert(step);
      }
    }
  }
  return steps;
}

struct TickRows {
  std::size_t first = 0;
  std::size_t step = 1;
};

// Every so many rows, so that there are few ticks and all of them at round
// times; among equally round ones, those with more ticks.
TickRows round_rows(std::span<const std::string> times,
                    std::size_t most_ticks) {
  std::vector<int> round;
  round.reserve(times.size());
  for (const std::string& time : times) round.push_back(roundness(time));
  const std::size_t least_step = (times.size() + most_ticks - 1) / most_ticks;
  TickRows best{0, least_step};
  int best_least = -1;
  for (const std::size_t step : steps_between(least_step, 2 * least_step)) {
    // Of the places to begin, the one with the roundest ticks on average.
    double best_mean = -1.0;
    for (std::size_t first = 0; first + step < times.size() && first < step;
         ++first) {
      int least = round[first];
      double sum = 0.0;
      double count = 0.0;
      for (std::size_t t = first; t < times.size(); t += step) {
        least = std::min(least, round[t]);
        sum += round[t];
        count += 1.0;
      }
      const bool is_same_step = best.step == step && best_mean >= 0.0;
      if (least > best_least ||
          (least == best_least && is_same_step && sum / count > best_mean)) {
        best = {first, step};
        best_least = least;
        best_mean = sum / count;
      }
    }
  }
  return best;
}

// Whether all labels are hh:mm:00; then the seconds say nothing.
bool has_zero_seconds(const std::vector<Tick>& ticks) {
  return std::all_of(ticks.begin(), ticks.end(), [](const Tick& tick) {
    return tick.label.size() == 8 && tick.label[5] == ':' &&
           tick.label.ends_with(":00");
  });
}

void drop_zero_seconds(std::vector<Tick>& ticks) {
  if (!has_zero_seconds(ticks)) return;
  for (Tick& tick : ticks) tick.label.resize(5);
}

// Where the time of day of a label such as 2026-01-07T22:30:00 begins; 0 when
// there is no such part.
std::size_t time_of_day(const std::string& label) {
  const std::size_t blank = label.find_last_of(" T");
  if (blank == std::string::npos || blank == 0) return 0;
  const std::size_t colon = label.find(':', blank);
  return colon == std::string::npos || colon != blank + 3 ? 0 : blank + 1;
}

// Labels of several days as times of day with the days below them; false when
// they are of one day, or not of this form.
bool split_days(std::vector<Tick>& ticks) {
  std::vector<std::string> days;
  for (const Tick& tick : ticks) {
    const std::size_t at = time_of_day(tick.label);
    if (at == 0) return false;
    days.push_back(tick.label.substr(0, at - 1));
  }
  if (std::all_of(days.begin(), days.end(),
                  [&](const std::string& day) { return day == days.front(); }))
    return false;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    ticks[i].label.erase(0, days[i].size() + 1);
    if (i == 0 || days[i] != days[i - 1]) ticks[i].below = days[i];
  }
  drop_zero_seconds(ticks);
  if (std::all_of(ticks.begin(), ticks.end(),
                  [](const Tick& tick) { return tick.label == "00:00"; })) {
    for (Tick& tick : ticks) tick.label = std::exchange(tick.below, {});
  }
  return true;
}

// Takes what all labels begin with into the caption, or days into a second
// line, and drops seconds that are zero everywhere.
void shorten(Axis& axis) {
  if (axis.ticks.size() < 2 || split_days(axis.ticks)) return;
  std::size_t cut = axis.ticks.front().label.size();
  for (const Tick& tick : axis.ticks) {
    cut = std::min(cut, common_beginning(axis.ticks.front().label, tick.label));
  }
  axis.caption = axis.ticks.front().label.substr(0, cut);
  while (!axis.caption.empty() &&
         (axis.caption.back() == ' ' || axis.caption.back() == 'T')) {
    axis.caption.pop_back();
  }
  for (Tick& tick : axis.ticks) tick.label.erase(0, cut);
  drop_zero_seconds(axis.ticks);
}

}  // namespace

double Axis::position(double value) const {
  double share = 0.0;
  if (is_log) {
    if (value <= 0.0) return 0.0;
    share =
        (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  } else {
    // Halves, so that no difference overflows.
    share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
  }
  return std::clamp(share, -1.0, 2.0);
}

std::string short_number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  const double size = std::abs(value);
  if (size >= kPlainAbove && size < kPlainBelow) {
    // %g takes to exponents as soon as the digits run out.
    const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
    std::string result = plain(value, std::max(digits - before, 0));
    if (result.find('.') != std::string::npos) {
      result.erase(result.find_last_not_of('0') + 1);
      if (result.back() == '.') result.pop_back();
    }
    return result;
  }
  return text;
}

Axis make_axis(double low, double high, std::size_t most_ticks) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    throw InvalidArgument("make_axis: finite low <= high are expected");
  }
  widen(low, high);
  Axis axis{low, high, false, {}, ""};
  const double count =
      static_cast<double>(std::max<std::size_t>(most_ticks, 2));
  double step = nice_step((high / 2.0 - low / 2.0) / (count / 2.0));
  if (std::floor(high / step) - std::ceil(low / step) < 1.0) {
    // Two ticks at least: a step below half the range always gives them.
    step = nice_step(step / 5.0);
  }
  const double largest = std::max(std::abs(low), std::abs(high));
  for (double k = std::ceil(low / step); k <= std::floor(high / step); ++k) {
    // The product is rounded, and must not leave the range by that.
    const double value = k == 0.0 ? 0.0 : std::clamp(k * step, low, high);
    axis.ticks.push_back({value, tick_label(value, step, largest)});
  }
  return axis;
}

Axis make_log_axis(double low, double high) {
  if (!(low > 0.0) || !(high > low) || !std::isfinite(high)) {
    throw InvalidArgument("make_log_axis: 0 < low < high are expected");
  }
  Axis axis{low, high, true, {}, ""};
  const double decades = std::log10(high) - std::log10(low);
  const double every = std::max(1.0, std::ceil(decades / 6.0));
  const std::vector<double> factors =
      decades < 2.5 ? std::vector{1.0, 2.0, 5.0} : std::vector{1.0};
  for (double d = std::floor(std::log10(low)); d <= std::log10(high); ++d) {
    if (std::fmod(d, every) != 0.0) continue;
    for (const double factor : factors) {
      const double value = factor * std::pow(10.0, d);
      if (value < low || value > high) continue;
      axis.ticks.push_back({value, short_number(value, 2)});
    }
  }
  return axis;
}

Axis make_time_axis(std::size_t count, std::span<const std::string> times,
                    std::size_t first_row, std::size_t most_ticks) {
  if (count == 0 || (!times.empty() && times.size() != count)) {
    throw InvalidArgument(
        "make_time_axis: at least one row and one time per row are expected");
  }
  const double last = static_cast<double>(count - 1);
  Axis axis{0.0, std::max(last, 1.0), false, {}, ""};
  const std::size_t most = std::max<std::size_t>(most_ticks, 2);
  if (times.empty()) {
    // Multiples of the step in row numbers, not in positions.
    const double step =
        nice_step(std::max(1.0, last / static_cast<double>(most)));
    const double first = static_cast<double>(first_row);
    for (double k = std::ceil(first / step); k * step <= first + last; ++k) {
      axis.ticks.push_back({k * step - first, plain(k * step, 0)});
    }
    axis.caption = "row";
    return axis;
  }
  const TickRows rows = round_rows(times, most);
  for (std::size_t t = rows.first; t < count; t += rows.step) {
    axis.ticks.push_back({static_cast<double>(t), times[t]});
  }
  shorten(axis);
  for (Tick& tick : axis.ticks) {
    tick.label = cut_text(tick.label, kLongestTime);
    tick.below = cut_text(tick.below, kLongestTime);
  }
  return axis;
}

}  // namespace sbog
