// SPDX-License-Identifier: Apache-2.0
// What an anomaly detector for series is made of.
#pragma once

#include <cstddef>
#include <string_view>

#include "sbog/series/signals.h"

namespace sbog {

/// Which views are combined, and in which units.
enum class DetectorKind {
  /// Six views (joint and per-channel energy of three signals), centred and
  /// scaled by the training series alone.
  kViews,
  /// The same views, but a view whose energies are high throughout the scored
  /// series gets a larger centre and unit. Looks at the whole scored series.
  kViewsBatch,
  /// Three views from energies per channel, each channel in its own unit.
  kChannel,
};

/// "views", "views-batch", "channel".
std::string_view to_string(DetectorKind kind);
/// The reverse; throws InvalidArgument that lists the names.
DetectorKind parse_detector_kind(std::string_view name);

/// Options of train_detector.
struct DetectorOptions {
  DetectorKind kind = DetectorKind::kViews;
  /// True: a score looks at its past only and can be given as rows arrive.
  bool is_causal = false;
  /// Evenly spaced training rows behind the joint energies; 0: all. More than
  /// the default cost time and changed nothing that could be measured.
  std::size_t joint_rows = 3000;
  /// Training rows behind the energies of single channels; 0: all.
  std::size_t line_rows = 0;
  /// Share of the calibration scores below the threshold, in (0, 1).
  double level = 0.99;

  WindowSide side() const {
    return is_causal ? WindowSide::kTrailing : WindowSide::kCentred;
  }
};

/// Throws InvalidArgument unless the options make sense together: a level
/// strictly inside (0, 1), and no causal detector that looks at the whole
/// scored series.
void check_detector_options(const DetectorOptions& options);

/// The shortest training series: one window of the variability.
inline constexpr std::size_t kFewestTrainingRows = kVariabilityWindow;

}  // namespace sbog
