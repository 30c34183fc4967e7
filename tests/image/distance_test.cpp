// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/detail/distance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace sbog::detail {
namespace distance_test {

TEST(Distance, to_a_disc_is_the_radius_at_its_centre_and_zero_on_its_rim) {
  EXPECT_DOUBLE_EQ(disc_distance({1.0, 2.0}, {1.0, 2.0}, 3.0), -3.0);
  EXPECT_DOUBLE_EQ(disc_distance({4.0, 2.0}, {1.0, 2.0}, 3.0), 0.0);
  EXPECT_DOUBLE_EQ(disc_distance({4.0, 6.0}, {1.0, 2.0}, 3.0), 2.0);
}

TEST(Distance, to_a_box_is_to_its_corner_outside_and_to_its_side_inside) {
  EXPECT_DOUBLE_EQ(box_distance({5.0, 6.0}, {2.0, 2.0}), 5.0);
  EXPECT_DOUBLE_EQ(box_distance({-3.0, 1.0}, {2.0, 2.0}), 1.0);
  EXPECT_DOUBLE_EQ(box_distance({0.5, -1.0}, {2.0, 3.0}), -1.5);
}

TEST(Distance, to_a_segment_ends_at_its_ends) {
  EXPECT_DOUBLE_EQ(segment_distance({1.0, 2.0}, {0.0, 0.0}, {4.0, 0.0}), 2.0);
  EXPECT_DOUBLE_EQ(segment_distance({7.0, 4.0}, {0.0, 0.0}, {4.0, 0.0}), 5.0);
  EXPECT_DOUBLE_EQ(segment_distance({3.0, 4.0}, {0.0, 0.0}, {0.0, 0.0}), 5.0);
}

TEST(Distance, to_a_stroke_is_to_the_nearest_segment_less_the_pen) {
  const std::array<Point, 3> line = {{{0.0, 0.0}, {4.0, 0.0}, {4.0, 4.0}}};
  EXPECT_DOUBLE_EQ(stroke_distance({2.0, 1.0}, line, 0.5), 0.5);
  EXPECT_DOUBLE_EQ(stroke_distance({4.25, 3.0}, line, 0.5), -0.25);
}

// The plain truth: the nearest of many points on the border.
double sampled_distance(Point p, const std::vector<Point>& corners) {
  double nearest = 1e9;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point a = corners[i];
    const Point b = corners[(i + 1) % corners.size()];
    for (int k = 0; k <= 1000; ++k) {
      const double t = k / 1000.0;
      nearest = std::min(nearest, std::hypot(p.x - a.x - t * (b.x - a.x),
                                             p.y - a.y - t * (b.y - a.y)));
    }
  }
  return nearest;
}

TEST(Distance, to_a_polygon_agrees_with_a_walk_along_its_border) {
  // An L: its inner corner makes it non-convex.
  const std::vector<Point> corners = {{0, 0}, {4, 0}, {4, 2},
                                      {2, 2}, {2, 4}, {0, 4}};
  for (int i = -4; i < 24; ++i) {
    for (int j = -4; j < 24; ++j) {
      const Point p{0.25 * i + 0.1, 0.25 * j + 0.05};
      const bool is_inside =
          p.x > 0 && p.y > 0 && p.x < 4 && p.y < 4 && (p.x < 2 || p.y < 2);
      const double distance = polygon_distance(p, corners);
      EXPECT_EQ(distance < 0.0, is_inside) << p.x << ", " << p.y;
      EXPECT_NEAR(std::abs(distance), sampled_distance(p, corners), 2e-3);
    }
  }
}

TEST(Distance, coverage_falls_from_one_to_zero_over_one_pixel) {
  EXPECT_EQ(coverage(-2.0), 1.0);
  EXPECT_EQ(coverage(0.0), 0.5);
  EXPECT_EQ(coverage(0.25), 0.25);
  EXPECT_EQ(coverage(0.5), 0.0);
}

}  // namespace distance_test
}  // namespace sbog::detail
