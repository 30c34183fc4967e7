// SPDX-License-Identifier: Apache-2.0
// The k-d tree order of spatial_order.h.
#include "sbog/energy/detail/spatial_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sbog::detail {
namespace {

std::size_t widest_coordinate(MatrixView<const double> points,
                              const std::vector<std::size_t>& order,
                              std::size_t first, std::size_t last) {
  std::size_t widest = 0;
  double width = -1.0;
  for (std::size_t k = 0; k < points.cols(); ++k) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = first; i < last; ++i) {
      low = std::min(low, points(order[i], k));
      high = std::max(high, points(order[i], k));
    }
    if (high - low > width) {
      width = high - low;
      widest = k;
    }
  }
  return widest;
}

void split(MatrixView<const double> points, std::vector<std::size_t>& order,
           std::size_t first, std::size_t last, std::size_t cell) {
  if (last - first <= cell) return;
  const std::size_t cells = (last - first + cell - 1) / cell;
  const std::size_t middle = first + cells / 2 * cell;
  const std::size_t k = widest_coordinate(points, order, first, last);
  const auto at = [&](std::size_t i) {
    return order.begin() + static_cast<std::ptrdiff_t>(i);
  };
  std::nth_element(
      at(first), at(middle), at(last), [&](std::size_t a, std::size_t b) {
        return points(a, k) != points(b, k) ? points(a, k) < points(b, k)
                                            : a < b;
      });
  split(points, order, first, middle, cell);
  split(points, order, middle, last, cell);
}

}  // namespace

std::vector<std::size_t> spatial_order(MatrixView<const double> points,
                                       std::size_t cell) {
  std::vector<std::size_t> order(points.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  split(points, order, 0, order.size(), cell);
  return order;
}

Ball ball_of(MatrixView<const double> points,
             const std::vector<std::size_t>& order, std::size_t first,
             std::size_t count) {
  Ball ball;
  ball.center.assign(points.cols(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = points.row(order[first + i]);
    for (std::size_t k = 0; k < row.size(); ++k) ball.center[k] += row[k];
  }
  for (double& c : ball.center) c /= static_cast<double>(count);
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = points.row(order[first + i]);
    double distance2 = 0.0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      distance2 += (row[k] - ball.center[k]) * (row[k] - ball.center[k]);
    }
    largest = std::max(largest, distance2);
  }
  ball.radius = std::sqrt(largest);
  return ball;
}

}  // namespace sbog::detail
