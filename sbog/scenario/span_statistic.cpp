// SPDX-License-Identifier: Apache-2.0
// The plain formulas of span_statistic.h.
#include "sbog/scenario/span_statistic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

namespace sbog::series {
namespace {

constexpr double kLeastShare = 1e-6;
constexpr std::size_t kFewestBefore = 3;

using Row = std::span<const double>;

double mean_of(Row row) {
  double sum = 0.0;
  for (const double x : row) sum += x;
  return sum / static_cast<double>(row.size());
}

double variance_of(Row row) {
  const double mean = mean_of(row);
  double squares = 0.0;
  for (const double x : row) squares += (x - mean) * (x - mean);
  return squares / static_cast<double>(row.size());
}

// Mean square of the steps.
double step_variance(Row row) {
  double squares = 0.0;
  for (std::size_t t = 0; t + 1 < row.size(); ++t) {
    squares += (row[t + 1] - row[t]) * (row[t + 1] - row[t]);
  }
  return squares / static_cast<double>(row.size() - 1);
}

double slope_of(Row row) {
  const double middle = 0.5 * static_cast<double>(row.size() - 1);
  double product = 0.0;
  double squares = 0.0;
  for (std::size_t t = 0; t < row.size(); ++t) {
    const double time = static_cast<double>(t) - middle;
    product += time * row[t];
    squares += time * time;
  }
  return product / squares;
}

// Share of the variance that a wave of the period explains, as log odds.
double tone_of(Row row, double period, double quiet) {
  const double mean = mean_of(row);
  const double angle = 2.0 * std::numbers::pi / period;
  const std::complex<double> turn(std::cos(angle), -std::sin(angle));
  std::complex<double> wave(1.0, 0.0);
  std::complex<double> sum(0.0, 0.0);
  double squares = 0.0;
  for (const double x : row) {
    sum += (x - mean) * wave;
    squares += (x - mean) * (x - mean);
    wave *= turn;
  }
  const double n = static_cast<double>(row.size());
  squares += n * quiet * quiet;
  const double share = std::clamp(2.0 * std::norm(sum) / (n * squares),
                                  kLeastShare, 1.0 - kLeastShare);
  return std::log(share / (1.0 - share));
}

// Correlation of row[t] and partner[t - lag] for t in [first, end); nothing
// when either does not move.
double agreement(Row row, Row partner, std::size_t first, std::size_t end,
                 std::ptrdiff_t lag) {
  const Row own = row.subspan(first, end - first);
  const Row other = partner.subspan(
      static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first) - lag),
      end - first);
  const double a = mean_of(own);
  const double b = mean_of(other);
  double product = 0.0;
  double squares = 0.0;
  for (std::size_t t = 0; t < own.size(); ++t) {
    product += (own[t] - a) * (other[t] - b);
    squares += (other[t] - b) * (other[t] - b);
  }
  return squares > 0.0 ? product / std::sqrt(squares) : 0.0;
}

double best_lag(Row row, Row partner, double sign, std::size_t first,
                std::size_t end) {
  double best = 0.0;
  double highest = 0.0;
  // From the shortest lags on: of equally good ones the shortest counts.
  for (std::ptrdiff_t size = 0; size <= kMostLag; ++size) {
    for (const std::ptrdiff_t lag : {size, -size}) {
      const auto from = static_cast<std::ptrdiff_t>(first) - lag;
      const auto to = static_cast<std::ptrdiff_t>(end) - lag;
      if (from < 0 || to > static_cast<std::ptrdiff_t>(partner.size())) {
        continue;
      }
      const double value = sign * agreement(row, partner, first, end, lag);
      if (value <= highest) continue;
      highest = value;
      best = static_cast<double>(lag);
    }
  }
  return best;
}

double longest_still(Row row, double still_step) {
  std::size_t longest = 1;
  std::size_t run = 1;
  for (std::size_t t = 0; t + 1 < row.size(); ++t) {
    run = std::abs(row[t + 1] - row[t]) <= still_step ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return static_cast<double>(longest);
}

double largest_step_of(Row row) {
  double largest = 0.0;
  for (std::size_t t = 0; t + 1 < row.size(); ++t) {
    largest = std::max(largest, std::abs(row[t + 1] - row[t]));
  }
  return largest;
}

double mismatch_of(const SpanRows& rows, std::size_t first,
                   std::size_t length) {
  double squares = 0.0;
  for (std::size_t t = first; t < first + length; ++t) {
    const double rest = rows.row[t] - rows.correlation * rows.partner[t];
    squares += rest * rest;
  }
  return std::sqrt(squares / static_cast<double>(length));
}

// Half the logarithm of the ratio of two variances.
double log_ratio(double above, double below) {
  return std::abs(0.5 * std::log(above / below));
}

double against_before(SpanMeasure measure, const SpanRows& rows, Row span,
                      Row before) {
  const double quiet = rows.quiet * rows.quiet;
  const double quiet_step = rows.quiet_step * rows.quiet_step;
  const auto rate = [&](Row row) {
    return (step_variance(row) + quiet_step) / (variance_of(row) + quiet);
  };
  switch (measure) {
    case SpanMeasure::kShift:
      return std::abs(mean_of(span) - mean_of(before));
    case SpanMeasure::kSpread:
      return log_ratio(variance_of(span) + quiet, variance_of(before) + quiet);
    case SpanMeasure::kRoughness:
      return log_ratio(step_variance(span) + quiet_step,
                       step_variance(before) + quiet_step);
    default:
      return log_ratio(rate(span), rate(before));
  }
}

}  // namespace

const char* to_string(SpanMeasure measure) {
  constexpr std::array<const char*, 10> kNames = {
      "shift", "slope", "spread",   "roughness", "rate",
      "tone",  "lag",   "mismatch", "still",     "step"};
  return kNames[static_cast<std::size_t>(measure)];
}

SpanMeasure measure_of(const Edit& edit) {
  switch (edit.kind) {
    case EditKind::kLevel:
      return edit.end - edit.start <= kLongestJump ? SpanMeasure::kStep
                                                   : SpanMeasure::kShift;
    case EditKind::kTrend:
      return SpanMeasure::kSlope;
    case EditKind::kScale:
      return SpanMeasure::kSpread;
    case EditKind::kNoise:
      return SpanMeasure::kRoughness;
    case EditKind::kDelay:
      return SpanMeasure::kLag;
    case EditKind::kFrequency:
      return SpanMeasure::kRate;
    case EditKind::kCoupling:
      return SpanMeasure::kMismatch;
    case EditKind::kOscillation:
      return SpanMeasure::kTone;
    case EditKind::kStuck:
      return SpanMeasure::kStill;
  }
  return SpanMeasure::kShift;
}

bool reads_partner(SpanMeasure measure) {
  return measure == SpanMeasure::kLag || measure == SpanMeasure::kMismatch;
}

std::optional<double> span_statistic(SpanMeasure measure, const SpanRows& rows,
                                     std::size_t first, std::size_t length) {
  if (length < 2 || first > rows.row.size() ||
      length > rows.row.size() - first) {
    return std::nullopt;
  }
  const Row span = rows.row.subspan(first, length);
  switch (measure) {
    case SpanMeasure::kSlope:
      return std::abs(slope_of(span));
    case SpanMeasure::kTone:
      return tone_of(span, rows.period, rows.quiet);
    case SpanMeasure::kLag:
      return std::abs(best_lag(rows.row, rows.partner,
                               rows.correlation < 0.0 ? -1.0 : 1.0, first,
                               first + length) -
                      rows.usual_lag);
    case SpanMeasure::kMismatch:
      return mismatch_of(rows, first, length);
    case SpanMeasure::kStill:
      return longest_still(span, rows.still_step);
    case SpanMeasure::kStep:
      return largest_step_of(span);
    default:
      break;
  }
  const std::size_t known = std::min(first, length);
  if (known < std::max(kFewestBefore, length / 2)) return std::nullopt;
  return against_before(measure, rows, span,
                        rows.row.subspan(first - known, known));
}

double usual_lag(std::span<const double> row, std::span<const double> partner) {
  const auto margin = static_cast<std::size_t>(kMostLag);
  if (row.size() <= 2 * margin + 1) return 0.0;
  const double sign = agreement(row, partner, 0, row.size(), 0);
  return best_lag(row, partner, sign < 0.0 ? -1.0 : 1.0, margin,
                  row.size() - margin);
}

}  // namespace sbog::series
