// SPDX-License-Identifier: Apache-2.0
// What an edit did to the stored window, measured on the difference to the
// recorded one: limits, grids and ramps make it differ from what was asked.
#pragma once

#include <cstddef>
#include <span>

#include "sbog/scenario/edit.h"

namespace sbog::series {

/// Rows of the edited channel in raw units. The padded one is the recording
/// with its margins (edit_row.h).
struct MeasuredRows {
  std::span<const double> recorded;
  std::span<const double> edited;
  std::span<const double> padded;
  /// coupling: the partner's row as the edit saw it, raw units.
  std::span<const double> partner;
};

/// A value counts as changed when it differs by more than this share of the
/// recorded range of its channel (ChannelProfile::range). Spans of sentences,
/// of edits.json and the labels of scenarios.csv all come from it.
inline constexpr double kChangedShare = 0.02;

/// Samples `first` to `last` of a window.
struct ChangedSpan {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// From the first sample that counts as changed to the last one. Where no
/// sample does, a quarter of the largest difference is enough; without any
/// difference sample 0.
ChangedSpan changed_span(std::span<const double> recorded,
                         std::span<const double> edited, double range);

/// The effect. Which of the numbers mean something depends on the kind.
struct EditEffect {
  std::size_t first = 0;  ///< the changed span
  std::size_t last = 0;
  /// level: median change of the span; trend: largest change; oscillation:
  /// amplitude of the best fit; stuck: median value of the span. Raw units.
  double size = 0.0;
  /// scale, noise, frequency: factor; coupling: share of the way to the
  /// partner; delay: lag in samples.
  double factor = 1.0;
  /// trend: the sample where nineteen twentieths of its size are reached.
  std::size_t settled = 0;
};

/// `profile` is the channel's, `partner_profile` that of the partner (read for
/// a coupling only).
EditEffect measure_effect(const Edit& edit, const MeasuredRows& rows,
                          const ChannelProfile& profile,
                          const ChannelProfile& partner_profile);

}  // namespace sbog::series
