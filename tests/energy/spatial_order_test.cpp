// SPDX-License-Identifier: Apache-2.0
// The order of cells and the balls around them.
#include "sbog/energy/detail/spatial_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracle/energy_oracle.h"

namespace sbog::detail {
namespace spatial_order_test {

RC_GTEST_PROP(SpatialOrder, is_a_permutation_whose_balls_hold_their_cells, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(0, 400);
  const auto dim = *rc::gen::inRange<std::size_t>(1, 6);
  const auto cell = *rc::gen::inRange<std::size_t>(1, 50);
  auto points = oracle::normal_matrix<double>(
      n, dim, *rc::gen::arbitrary<std::uint32_t>());
  // Some equal points.
  for (std::size_t i = 0; i + 5 < n; i += 5) {
    std::copy_n(points.row(i).data(), dim, points.row(i + 1).data());
  }
  const auto order = spatial_order(points, cell);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  RC_ASSERT(sorted == oracle::iota(n));
  RC_ASSERT(spatial_order(points, cell) == order);
  for (std::size_t first = 0; first < n; first += cell) {
    const std::size_t count = std::min(cell, n - first);
    const Ball ball = ball_of(points, order, first, count);
    for (std::size_t i = first; i < first + count; ++i) {
      double square = 0.0;
      for (std::size_t k = 0; k < dim; ++k) {
        const double apart = points(order[i], k) - ball.center[k];
        square += apart * apart;
      }
      RC_ASSERT(std::sqrt(square) <= ball.radius * (1.0 + 1e-15));
    }
  }
}

TEST(SpatialOrder, cells_of_points_on_a_line_are_intervals) {
  Matrix<double> points(100, 2);
  for (std::size_t i = 0; i < 100; ++i) {
    points(i, 0) = static_cast<double>(i * 37 % 100);
    points(i, 1) = 0.001 * static_cast<double>(i % 3);
  }
  const auto order = spatial_order(points, 10);
  for (std::size_t cell = 0; cell < 10; ++cell) {
    for (std::size_t i = 0; i < 10; ++i) {
      const double x = points(order[10 * cell + i], 0);
      EXPECT_EQ(std::floor(x / 10.0), static_cast<double>(cell));
    }
    EXPECT_LT(ball_of(points, order, 10 * cell, 10).radius, 4.6);
  }
}

TEST(SpatialOrder, equal_points_go_by_row) {
  const Matrix<double> points(10, 3);
  const auto order = spatial_order(points, 5);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LT(order[i], 5u);
  EXPECT_EQ(ball_of(points, order, 0, 10).radius, 0.0);
}

}  // namespace spatial_order_test
}  // namespace sbog::detail
