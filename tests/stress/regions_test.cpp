// SPDX-License-Identifier: Apache-2.0
// Regions of points.
#include "sbog/stress/regions.h"

#include <gtest/gtest.h>

#include <set>

#include "sbog/base/philox.h"

namespace sbog::stress {
namespace regions_test {

// Heaps of 30, 20 and 10 points around far corners, mixed.
Matrix<float> heaps() {
  Matrix<float> points(60, 3);
  for (std::size_t i = 0; i < 60; ++i) {
    PhiloxStream(9, 0, 0, i).normals(0, points.row(i));
    const std::size_t heap = i % 2 == 0 ? 0 : (i % 6 == 1 ? 2 : 1);
    points(i, heap) += 50.0F;
  }
  return points;
}

TEST(Regions, heaps_that_lie_apart_are_regions_by_size) {
  const Matrix<float> points = heaps();
  const Regions regions = find_regions(points.view(), 3);
  ASSERT_EQ(regions.centres.size(), 3u);
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t heap = i % 2 == 0 ? 0 : (i % 6 == 1 ? 2 : 1);
    EXPECT_EQ(regions.of_point[i], heap) << i;
  }
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(regions.of_point[regions.centres[r]], r);
  }
}

TEST(Regions, equal_points_are_one_region) {
  const Matrix<double> points(5, 2);
  const Regions regions = find_regions(points.view(), 3);
  EXPECT_EQ(regions.centres.size(), 1u);
  EXPECT_EQ(
      std::set<std::size_t>(regions.of_point.begin(), regions.of_point.end()),
      std::set<std::size_t>{0});
  const Matrix<double> none;
  EXPECT_TRUE(find_regions(std::as_const(none).view(), 2).of_point.empty());
}

TEST(Regions, their_number_follows_the_number_of_points) {
  EXPECT_EQ(region_count(0), 1u);
  EXPECT_EQ(region_count(39), 1u);
  EXPECT_EQ(region_count(40), 2u);
  EXPECT_EQ(region_count(250), 5u);
  EXPECT_EQ(region_count(100000), 8u);
}

}  // namespace regions_test
}  // namespace sbog::stress
