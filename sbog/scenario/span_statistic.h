// SPDX-License-Identifier: Apache-2.0
// One number per span of a channel that says how strongly it does what a kind
// of edit does. Taken the same way from a recording and from an edited window,
// it tells how rare an edit is: S is the span, B the span of equal length
// before it, x the channel in standard units.
//   shift      |mean of S - mean of B|                           level
//   slope      |least squares slope of S|                        trend
//   spread     |log deviation of S / deviation of B|             scale
//   roughness  the same of the steps x(t+1) - x(t)               noise
//   rate       |log of (deviation of steps / deviation) in S / in B|  frequency
//   tone       log odds of the share of the variance of S at a period
//                                                                oscillation
//   lag        |lag of the best agreement with a partner - the usual one| delay
//   mismatch   root mean square of x - r x_d, r the recorded correlation
//                                                                coupling
//   still      longest stretch without change in S, rows         stuck
//   step       |largest step in S|                               short levels
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sbog/scenario/edit.h"

namespace sbog::series {

/// See the top of the file.
enum class SpanMeasure {
  kShift,
  kSlope,
  kSpread,
  kRoughness,
  kRate,
  kTone,
  kLag,
  kMismatch,
  kStill,
  kStep,
};
/// "shift", "slope", "spread", ...
const char* to_string(SpanMeasure measure);

/// Level edits with a gate of at most this many samples are jumps.
inline constexpr double kLongestJump = 10.0;
/// Lags that are looked for, in rows on either side.
inline constexpr std::ptrdiff_t kMostLag = 30;

/// What an edit is measured by.
SpanMeasure measure_of(const Edit& edit);
/// Whether a measure reads a second channel.
bool reads_partner(SpanMeasure measure);

/// Rows of equal length in standard units, and what is known of the channel.
struct SpanRows {
  std::span<const double> row;
  std::span<const double> partner;  ///< empty where it is not read
  double correlation = 0.0;         ///< with the partner
  double usual_lag = 0.0;           ///< behind the partner, rows
  double quiet = 0.01;              ///< added in quadrature to deviations
  double quiet_step = 0.0;  ///< added in quadrature to deviations of steps
  double still_step = 0.0;  ///< steps up to this count as no change
  double period = 0.0;      ///< tone only, rows
};

/// The statistic of [first, first + length). Nothing when the row does not hold
/// the span, or less than half of the span before where that is read.
std::optional<double> span_statistic(SpanMeasure measure, const SpanRows& rows,
                                     std::size_t first, std::size_t length);

/// The lag of the best agreement of a whole row with its partner.
double usual_lag(std::span<const double> row, std::span<const double> partner);

}  // namespace sbog::series
