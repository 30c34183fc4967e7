// SPDX-License-Identifier: Apache-2.0
// Principal component analysis: the directions along which points vary most,
//   C u_k = lambda_k u_k,  C = sum_i (x_i - mean)(x_i - mean)' / n,
// with signs that do not depend on chance.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// Mean and leading axes of a set of points.
struct PrincipalAxes {
  std::vector<double> mean;
  Matrix<double> axes;  ///< one unit row each, by falling variance
  /// Share of the variance that each carries; 0 when there is no variance.
  std::vector<double> explained;

  /// Coordinates of points along the axes, one row each.
  template <typename T>
  Matrix<double> project(MatrixView<const T> points) const;
};

/// Up to `count` axes: no more than there are dimensions. Axes without variance
/// that cannot be told from the points are zero rows. The entry of largest
/// magnitude of an axis (the first of equals) is positive. Costs n d min(n, d)
/// plus a cube of min(n, d); double inside. Throws InvalidArgument without
/// points.
template <typename T>
PrincipalAxes principal_axes(MatrixView<const T> points, std::size_t count);

}  // namespace sbog
