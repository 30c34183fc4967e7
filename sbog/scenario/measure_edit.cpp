// SPDX-License-Identifier: Apache-2.0
// Measurements on the difference of two rows; see measure_edit.h.
#include "sbog/scenario/measure_edit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "sbog/scenario/edit_row.h"

namespace sbog::series {
namespace {

constexpr std::size_t kHalfWidth = 5;
constexpr int kLongestLag = 40;
constexpr double kSlowest = 0.5;
constexpr double kFactorStep = 0.01;
constexpr int kFactors = 131;  // up to 1.8
// Of the largest change: enough to count where nothing does by the range.
constexpr double kFaintShare = 0.25;
constexpr double kSettledShare = 0.95;

double median_of(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Ramps at both ends hardly move a median.
double median_change(const MeasuredRows& rows, const EditEffect& effect) {
  std::vector<double> changes;
  for (std::size_t t = effect.first; t <= effect.last; ++t) {
    changes.push_back(rows.edited[t] - rows.recorded[t]);
  }
  return median_of(std::move(changes));
}

void measure_trend(const MeasuredRows& rows, EditEffect& effect) {
  const auto change = [&](std::size_t t) {
    return rows.edited[t] - rows.recorded[t];
  };
  for (std::size_t t = effect.first; t <= effect.last; ++t) {
    if (std::abs(change(t)) > std::abs(effect.size)) effect.size = change(t);
  }
  effect.settled = effect.first;
  while (effect.settled < effect.last &&
         std::abs(change(effect.settled)) <
             kSettledShare * std::abs(effect.size)) {
    ++effect.settled;
  }
}

double mean_between(std::span<const double> row, const EditEffect& effect) {
  double sum = 0.0;
  for (std::size_t t = effect.first; t <= effect.last; ++t) sum += row[t];
  return sum / static_cast<double>(effect.last - effect.first + 1);
}

double deviation_between(std::span<const double> row,
                         const EditEffect& effect) {
  const double mean = mean_between(row, effect);
  double squares = 0.0;
  for (std::size_t t = effect.first; t <= effect.last; ++t) {
    squares += (row[t] - mean) * (row[t] - mean);
  }
  return std::sqrt(squares /
                   static_cast<double>(effect.last - effect.first + 1));
}

// Root mean square of what a centred mean of 11 leaves.
double roughness(std::span<const double> row, const EditEffect& effect) {
  double squares = 0.0;
  for (std::size_t t = effect.first; t <= effect.last; ++t) {
    const std::size_t begin = t - std::min(t, kHalfWidth);
    const std::size_t end = std::min(row.size(), t + kHalfWidth + 1);
    double mean = 0.0;
    for (std::size_t j = begin; j < end; ++j) mean += row[j];
    const double rest = row[t] - mean / static_cast<double>(end - begin);
    squares += rest * rest;
  }
  return std::sqrt(squares);
}

double ratio(double above, double below) {
  return below > 0.0 ? above / below : 1.0;
}

// The padded recording at a real time of the window.
double recorded_at(std::span<const double> padded, double time) {
  const double place = std::clamp(time + static_cast<double>(kMargin), 0.0,
                                  static_cast<double>(padded.size() - 1));
  const std::size_t left =
      std::min(static_cast<std::size_t>(place), padded.size() - 2);
  const double share = place - static_cast<double>(left);
  return padded[left] + share * (padded[left + 1] - padded[left]);
}

// Squared distance of the edited row to the recording read at other times.
template <class ReadTime>
double misfit(const MeasuredRows& rows, const EditEffect& effect,
              const ReadTime& read_time) {
  double sum = 0.0;
  for (std::size_t t = effect.first; t <= effect.last; ++t) {
    const double apart =
        rows.edited[t] -
        recorded_at(rows.padded, read_time(static_cast<double>(t)));
    sum += apart * apart;
  }
  return sum;
}

double best_lag(const MeasuredRows& rows, const EditEffect& effect) {
  double best = 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (int lag = -kLongestLag; lag <= kLongestLag; ++lag) {
    const double n = static_cast<double>(lag);
    const double value = misfit(rows, effect, [&](double t) { return t - n; });
    if (value < least) {
      least = value;
      best = n;
    }
  }
  return best;
}

double best_speed(const Edit& edit, const MeasuredRows& rows,
                  const EditEffect& effect) {
  const double middle = 0.5 * (edit.start + edit.end);
  double best = 1.0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kFactors; ++i) {
    const double speed = kSlowest + kFactorStep * static_cast<double>(i);
    const double value = misfit(
        rows, effect, [&](double t) { return middle + speed * (t - middle); });
    if (value < least) {
      least = value;
      best = speed;
    }
  }
  return best;
}

// Coefficient of the least squares fit of the change by a basis function.
template <class Basis>
double fit(const MeasuredRows& rows, const EditEffect& effect,
           const Basis& basis) {
  double product = 0.0;
  double squares = 0.0;
  for (std::size_t t = effect.first; t <= effect.last; ++t) {
    const double b = basis(t);
    product += (rows.edited[t] - rows.recorded[t]) * b;
    squares += b * b;
  }
  return squares > 0.0 ? product / squares : 0.0;
}

double coupled_share(const Edit& edit, const MeasuredRows& rows,
                     const EditEffect& effect, const ChannelProfile& profile,
                     const ChannelProfile& partner) {
  return fit(rows, effect, [&](std::size_t t) {
    const double wanted =
        edit.partner_sign * partner.to_standard(rows.partner[t]);
    return profile.to_raw(wanted) - rows.recorded[t];
  });
}

}  // namespace

ChangedSpan changed_span(std::span<const double> recorded,
                         std::span<const double> edited, double range) {
  double largest = 0.0;
  for (std::size_t t = 0; t < recorded.size(); ++t) {
    largest = std::max(largest, std::abs(edited[t] - recorded[t]));
  }
  if (largest == 0.0) return {};
  const double bar = largest > kChangedShare * range ? kChangedShare * range
                                                     : kFaintShare * largest;
  ChangedSpan span{recorded.size(), 0};
  for (std::size_t t = 0; t < recorded.size(); ++t) {
    if (std::abs(edited[t] - recorded[t]) <= bar) continue;
    span.first = std::min(span.first, t);
    span.last = t;
  }
  return span;
}

EditEffect measure_effect(const Edit& edit, const MeasuredRows& rows,
                          const ChannelProfile& profile,
                          const ChannelProfile& partner_profile) {
  EditEffect effect;
  const ChangedSpan span =
      changed_span(rows.recorded, rows.edited, profile.range);
  effect.first = span.first;
  effect.last = span.last;
  effect.settled = span.first;
  switch (edit.kind) {
    case EditKind::kLevel:
      effect.size = median_change(rows, effect);
      break;
    case EditKind::kTrend:
      measure_trend(rows, effect);
      break;
    case EditKind::kScale:
      effect.factor =
          profile.is_floored
              ? ratio(mean_between(rows.edited, effect) - profile.low,
                      mean_between(rows.recorded, effect) - profile.low)
              : ratio(deviation_between(rows.edited, effect),
                      deviation_between(rows.recorded, effect));
      break;
    case EditKind::kNoise:
      effect.factor = ratio(roughness(rows.edited, effect),
                            roughness(rows.recorded, effect));
      break;
    case EditKind::kDelay:
      effect.factor = best_lag(rows, effect);
      break;
    case EditKind::kFrequency:
      effect.factor = best_speed(edit, rows, effect);
      break;
    case EditKind::kCoupling:
      effect.factor =
          coupled_share(edit, rows, effect, profile, partner_profile);
      break;
    case EditKind::kOscillation:
      effect.size = fit(rows, effect, [&](std::size_t t) {
        return std::sin(2.0 * std::numbers::pi * static_cast<double>(t) /
                            edit.period +
                        edit.phase);
      });
      break;
    case EditKind::kStuck:
      effect.size = median_of({rows.edited.data() + effect.first,
                               rows.edited.data() + effect.last + 1});
      break;
  }
  return effect;
}

}  // namespace sbog::series
