// SPDX-License-Identifier: Apache-2.0
// k-means on windows: how far the windows around a row lie from the centres of
// the training windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::detail {

inline constexpr std::size_t kMeansWindow = 20;
inline constexpr std::size_t kMeansCentres = 20;

/// Centres of at most 2,000 evenly spaced windows of 20 rows, found by Lloyd's
/// rounds from a k-means++ start (Philox counter (draw, 1, 0, 0), key = seed).
/// One row per centre, the rows of a window one after the other. Fewer centres
/// than kMeansCentres when the windows hold fewer distinct ones.
Matrix<float> window_centres(MatrixView<const float> rows, std::uint64_t seed);

/// For each test row the mean, over the windows that cover it, of the distance
/// to the nearest centre. Throws InvalidArgument below 20 rows.
std::vector<double> window_mean_scores(MatrixView<const float> train,
                                       MatrixView<const float> test,
                                       std::uint64_t seed);

}  // namespace sbog::detail
