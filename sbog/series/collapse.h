// SPDX-License-Identifier: Apache-2.0
// Signs of collapse: an encoder that gives every window the same point, or a
// head that gives every window the same score. Such a run is reported as
// collapsed and not averaged with others.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"

namespace sbog::series {

/// Below these a run counts as collapsed.
inline constexpr double kLeastPairDistance = 0.01;
inline constexpr double kLeastScoreDeviation = 0.005;

/// Of a bank of unit rows.
struct EncoderSpread {
  double pair_distance = 0.0;  ///< mean 1 - cos over all pairs of rows
  /// 5, 50 and 95 % quantiles of the leave-one-out energy (cosine cost).
  std::array<double, 3> energy_quantiles{};
  bool is_collapsed = false;
};

/// Throws InvalidArgument for fewer than two rows.
EncoderSpread encoder_spread(MatrixView<const float> points,
                             double epsilon = 0.02,
                             const Context& context = {});

/// Of a clustering and the scores it gives.
struct ClusterSpread {
  std::size_t classes_used = 0;  ///< most probable class of at least one row
  double score_deviation = 0.0;  ///< standard deviation of the scores
  bool is_collapsed = false;
};
ClusterSpread cluster_spread(MatrixView<const float> pool_probabilities,
                             std::span<const double> scores);

}  // namespace sbog::series
