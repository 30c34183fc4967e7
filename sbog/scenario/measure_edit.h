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

/// The effect. Which of the numbers mean something depends on the kind.
struct EditEffect {
  std::size_t first = 0;  ///< sample of the window where it begins to show
  std::size_t last = 0;   ///< and where it ends to
  /// level: mean change between them; trend: change at the end of the window;
  /// oscillation: amplitude; stuck: the value held. Raw units.
  double size = 0.0;
  /// scale, noise, frequency: factor; coupling: share of the way to the
  /// partner; delay: lag in samples.
  double factor = 1.0;
};

/// `profile` is the channel's, `partner_profile` that of the partner (read for
/// a coupling only).
EditEffect measure_effect(const Edit& edit, const MeasuredRows& rows,
                          const ChannelProfile& profile,
                          const ChannelProfile& partner_profile);

}  // namespace sbog::series
