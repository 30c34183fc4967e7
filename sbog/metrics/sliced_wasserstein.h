// SPDX-License-Identifier: Apache-2.0
// Sliced Wasserstein distance of two samples:
//   SW2 = sqrt( mean over unit directions of W2^2 of the projections ),
// where W2^2 on the line is the integral of (F^-1(u) - G^-1(u))^2 over u in
// (0, 1); samples of different size need no matching.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"

namespace sbog {

/// W2^2 of two samples on the line, both sorted in increasing order, by merging
/// their quantile functions in O(n + m). Throws InvalidArgument when one is
/// empty.
double wasserstein2_squared(std::span<const double> first,
                            std::span<const double> second);

/// Unit vectors, one per row: normalised Gaussians keyed by the seed. Fewer
/// directions are the first of more.
Matrix<double> draw_directions(std::size_t count, std::size_t dim,
                               std::uint64_t seed);

/// Options of sliced_wasserstein.
struct SlicedWassersteinOptions {
  std::size_t directions = 1000;
  std::uint64_t seed = 0;
};

/// The distance and what it is the mean of.
struct SlicedWassersteinResult {
  /// kDone, or kCancelled: then the values are not to be used.
  SolveStatus status = SolveStatus::kDone;
  double value = 0.0;           ///< SW2
  std::vector<double> squared;  ///< W2^2 per direction
};

/// SW2 along given directions, one per row, used as they are. O(directions
/// (N log N + n log n)) time; a worker holds 64 bytes per point, 8 for more
/// than a million points. Throws InvalidArgument for an empty sample, no
/// direction or dimensions that differ.
template <typename T>
SlicedWassersteinResult sliced_wasserstein(MatrixView<const T> first,
                                           MatrixView<const T> second,
                                           MatrixView<const double> directions,
                                           const Context& context = {});

/// SW2 along drawn directions.
template <typename T>
SlicedWassersteinResult sliced_wasserstein(
    MatrixView<const T> first, MatrixView<const T> second,
    const SlicedWassersteinOptions& options = {}, const Context& context = {});

}  // namespace sbog
