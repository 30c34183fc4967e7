// SPDX-License-Identifier: Apache-2.0
// Orders points so that runs of a given length are compact cells.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::detail {

/// A ball that contains a run of points.
struct Ball {
  std::vector<double> center;
  double radius = 0.0;
};

/// A permutation of the rows: halves are split at the median of the widest
/// coordinate, always at a multiple of `cell`, until a run fits one cell.
/// Deterministic: ties by row index.
std::vector<std::size_t> spatial_order(MatrixView<const double> points,
                                       std::size_t cell);

/// The ball around the mean of rows order[first .. first + count).
Ball ball_of(MatrixView<const double> points,
             const std::vector<std::size_t>& order, std::size_t first,
             std::size_t count);

}  // namespace sbog::detail
