// SPDX-License-Identifier: Apache-2.0
// Channels on a common scale: x -> (x - median) / range, both of the training
// series. Ranges rather than deviations, because a command that is rarely set
// would otherwise outweigh everything.
#pragma once

#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// Median and unit of each channel.
struct ChannelScaling {
  std::vector<double> medians;
  std::vector<double> units;  ///< finite and > 0

  /// Largest distance from the median, in units, that is passed on.
  static constexpr double kClip = 3.0;

  /// One row, clipped to [-kClip, kClip], rounded to float.
  void apply(std::span<const double> row, std::span<float> out) const;
  /// All rows.
  Matrix<float> apply(MatrixView<const double> values) const;
};

/// From the training series. A channel whose range is below 1e-8 takes the
/// median range of the others as its unit, 1 when there are none.
ChannelScaling fit_scaling(MatrixView<const double> train);

}  // namespace sbog
