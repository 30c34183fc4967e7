// SPDX-License-Identifier: Apache-2.0
// Profiles from the training series; see channel_profile.h.
#include "sbog/scenario/channel_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"

namespace sbog::series {
namespace {

constexpr std::size_t kFewValues = 12;
constexpr std::size_t kCommonest = 5;
constexpr double kCovered = 0.9;
constexpr double kOnBound = 0.01;
constexpr double kWidening = 0.1;
// How far from a multiple of the step a value may lie, in steps.
constexpr double kGridSlack = 1e-4;

constexpr std::array<std::pair<ChannelClass, const char*>, 4> kChannelClasses =
    {{{ChannelClass::kConstant, "constant"},
      {ChannelClass::kDiscrete, "discrete"},
      {ChannelClass::kEvent, "event"},
      {ChannelClass::kContinuous, "continuous"}}};

// How often each distinct value occurs, from sorted values.
std::vector<std::size_t> run_lengths(const std::vector<double>& sorted) {
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) runs.push_back(0);
    ++runs.back();
  }
  return runs;
}

ChannelClass classify(const std::vector<double>& sorted) {
  std::vector<std::size_t> runs = run_lengths(sorted);
  if (runs.size() == 1) return ChannelClass::kConstant;
  if (runs.size() <= kFewValues) return ChannelClass::kDiscrete;
  std::partial_sort(runs.begin(), runs.begin() + kCommonest, runs.end(),
                    std::greater<>());
  const double all = static_cast<double>(sorted.size());
  if (static_cast<double>(runs[0]) > kCovered * all) {
    return ChannelClass::kEvent;
  }
  std::size_t common = 0;
  for (std::size_t i = 0; i < kCommonest; ++i) common += runs[i];
  return static_cast<double>(common) > kCovered * all
             ? ChannelClass::kDiscrete
             : ChannelClass::kContinuous;
}

bool fits_grid(const std::vector<double>& values, double origin, double step) {
  return std::all_of(values.begin(), values.end(), [&](double value) {
    const double steps = (value - origin) / step;
    return std::abs(steps - std::round(steps)) <= kGridSlack;
  });
}

void set_limits(const std::vector<double>& sorted, ChannelProfile& profile) {
  const auto share_of = [&](double bound) {
    const auto range = std::equal_range(sorted.begin(), sorted.end(), bound);
    return static_cast<double>(range.second - range.first) /
           static_cast<double>(sorted.size());
  };
  profile.range = sorted.back() - sorted.front();
  const double widening = kWidening * profile.range;
  profile.is_floored = share_of(sorted.front()) > kOnBound;
  profile.is_capped = share_of(sorted.back()) > kOnBound;
  profile.low = sorted.front() - (profile.is_floored ? 0.0 : widening);
  profile.high = sorted.back() + (profile.is_capped ? 0.0 : widening);
  // Pressures, counts and shares never change their sign.
  if (sorted.front() >= 0.0) profile.low = std::max(profile.low, 0.0);
  if (sorted.back() <= 0.0) profile.high = std::min(profile.high, 0.0);
}

void set_steps(std::span<const double> series, ChannelProfile& profile) {
  std::vector<double> steps(series.size() - 1);
  for (std::size_t t = 0; t + 1 < series.size(); ++t) {
    steps[t] = std::abs(series[t + 1] - series[t]) / profile.deviation;
  }
  if (steps.empty()) return;
  profile.largest_step = *std::max_element(steps.begin(), steps.end());
  profile.slew = std::max(0.01, quantile(steps, 0.995));
}

double deviation_of(std::span<const double> values) {
  const double n = static_cast<double>(values.size());
  double mean = 0.0;
  for (const double value : values) mean += value / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / n);
}

void set_unit(const WindowSource& windows, std::size_t channel,
              ChannelProfile& profile) {
  std::vector<double> deviations(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    deviations[i] = deviation_of(windows.raw(i, channel)) / profile.deviation;
  }
  if (deviations.empty()) return;
  profile.unit = 2.0 * std::clamp(quantile(deviations, 0.9), 0.02, 1.0);
}

void apply_override(const ChannelOverride& given,
                    std::vector<ChannelProfile>& profiles) {
  if (given.channel >= profiles.size()) {
    throw InvalidArgument("profile_channels: an override names channel " +
                          std::to_string(given.channel) + " of " +
                          std::to_string(profiles.size()));
  }
  ChannelProfile& profile = profiles[given.channel];
  profile.kind = given.kind.value_or(profile.kind);
  profile.low = given.low.value_or(profile.low);
  profile.high = given.high.value_or(profile.high);
  if (!std::isfinite(profile.low) || !std::isfinite(profile.high) ||
      profile.low > profile.high) {
    throw InvalidArgument(
        "profile_channels: finite limits, the lower one first, are expected "
        "for channel " +
        std::to_string(given.channel));
  }
}

}  // namespace

const char* to_string(ChannelClass kind) {
  for (const auto& [value, name] : kChannelClasses) {
    if (value == kind) return name;
  }
  return "unknown";
}

ChannelClass parse_channel_class(std::string_view name) {
  for (const auto& [value, known] : kChannelClasses) {
    if (name == known) return value;
  }
  throw InvalidArgument("channel class: '" + std::string(name) +
                        "' is not one of: constant, discrete, event, "
                        "continuous");
}

double ChannelProfile::on_grid(double raw) const {
  if (grid == 0.0) return raw;
  return grid_origin + grid * std::round((raw - grid_origin) / grid);
}

double find_grid(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() < 2) return 0.0;
  const double scale =
      std::max(std::abs(values.front()), std::abs(values.back()));
  double gap = values.back() - values.front();
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    gap = std::min(gap, values[i + 1] - values[i]);
  }
  // Below this the gap is rounding of the last digit, not a step.
  if (gap > 1e-9 * scale && fits_grid(values, values.front(), gap)) return gap;
  for (double step = 1.0; step >= 0.999e-6 && step > 1e-9 * scale;
       step /= 10.0) {
    if (fits_grid(values, 0.0, step)) return step;
  }
  return 0.0;
}

std::vector<ChannelProfile> profile_channels(
    const WindowSource& windows,
    const std::vector<ChannelOverride>& overrides) {
  std::vector<ChannelProfile> profiles(windows.channels());
  for (std::size_t c = 0; c < profiles.size(); ++c) {
    ChannelProfile& profile = profiles[c];
    const std::span<const double> series = windows.raw_series(c);
    profile.mean = windows.statistics().means[c];
    profile.deviation = windows.statistics().deviations[c];
    std::vector<double> sorted(series.begin(), series.end());
    std::sort(sorted.begin(), sorted.end());
    profile.kind = classify(sorted);
    set_limits(sorted, profile);
    set_steps(series, profile);
    set_unit(windows, c, profile);
    profile.grid_origin = sorted.front();
    profile.grid = find_grid(std::move(sorted));
  }
  for (const ChannelOverride& given : overrides) {
    apply_override(given, profiles);
  }
  return profiles;
}

}  // namespace sbog::series
