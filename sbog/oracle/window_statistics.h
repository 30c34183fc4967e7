// SPDX-License-Identifier: Apache-2.0
// Nine statistics of a window: what the oracle's encoder sees and its decoder
// restores.
//
// With mean m, covariance C = L L' (L lower triangular) and lag-1 covariance G,
// both divided by the number of points:
//   m[0], m[1], log L00, log L11, L10 / L00, and L^-1 G L^-T by rows.
// The third to fifth run over all of R^3 and determine C, the last four then
// determine G.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "sbog/oracle/var_process.h"

namespace sbog {

inline constexpr std::size_t kStatistics = 9;
/// The nine numbers, in the order above.
using Statistics = std::array<double, kStatistics>;

/// Mean, covariance and lag-1 covariance of a window.
struct WindowMoments {
  Vector2 mean{};
  Matrix2 covariance{};
  Matrix2 lagged{};
};

/// Moments of a window of points of two coordinates. Throws InvalidArgument for
/// fewer than two points or an odd size.
WindowMoments window_moments(std::span<const double> window);

/// The statistics of moments; NaN where the covariance is not positive
/// definite.
Statistics statistics_of(const WindowMoments& moments);

/// How the statistics change, to first order, when the moments change by
/// `delta`, whose covariance is symmetric.
Statistics statistics_change(const WindowMoments& moments,
                             const WindowMoments& delta);

/// statistics_of(window_moments(window)).
Statistics window_statistics(std::span<const double> window);

}  // namespace sbog
