// SPDX-License-Identifier: Apache-2.0
// Helpers for rows of points.
#include "sbog/metrics/detail/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "metrics/support.h"
#include "sbog/metrics/detail/streams.h"

namespace sbog::testing_support {
namespace points_test {

TEST(Points, sums_agree_with_the_plain_loop_at_every_length) {
  for (std::size_t length = 0; length < 19; ++length) {
    const Matrix<double> points = random_points(2, length, 1);
    if (length == 0) {
      EXPECT_EQ(detail::dot({}, {}), 0.0);
      EXPECT_EQ(detail::squared_distance({}, {}), 0.0);
      continue;
    }
    double squares = 0.0;
    for (std::size_t k = 0; k < length; ++k) {
      squares += std::pow(points(0, k) - points(1, k), 2);
    }
    EXPECT_NEAR(detail::dot(points.row(0), points.row(1)),
                plain_dot(points.row(0), points.row(1)), 1e-13);
    EXPECT_NEAR(detail::squared_distance(points.row(0), points.row(1)), squares,
                1e-13);
  }
}

TEST(Points, unit_rows_have_length_one_at_every_scale) {
  for (const double scale : {1e-300, 1e-5, 1.0, 1e150, 1e300}) {
    const std::vector<double> row = {3.0 * scale, 0.0, -4.0 * scale};
    std::vector<double> unit(3);
    ASSERT_TRUE(detail::unit_row(std::span<const double>(row),
                                 std::span<double>(unit)));
    EXPECT_NEAR(unit[0], 0.6, 1e-15);
    EXPECT_EQ(unit[1], 0.0);
    EXPECT_NEAR(unit[2], -0.8, 1e-15);
  }
}

TEST(Points, a_zero_row_has_no_unit) {
  const std::vector<float> row = {0.0f, -0.0f};
  std::vector<double> unit = {7.0, 8.0};
  EXPECT_FALSE(
      detail::unit_row(std::span<const float>(row), std::span<double>(unit)));
  EXPECT_EQ(unit, (std::vector<double>{7.0, 8.0}));
}

TEST(Points, rows_are_copied_in_order) {
  Matrix<float> points(3, 2);
  for (std::size_t i = 0; i < 6; ++i) {
    points.elements()[i] = static_cast<float>(i);
  }
  const std::vector<std::size_t> rows = {2, 0};
  const Matrix<double> copy = detail::copy_rows(seen(points), rows);
  EXPECT_EQ(std::vector<double>(copy.elements().begin(), copy.elements().end()),
            (std::vector<double>{4.0, 5.0, 0.0, 1.0}));
}

TEST(Points, directions_are_missed_where_the_length_vanishes) {
  Matrix<float> points = random_points<float>(4, 3, 1);
  EXPECT_TRUE(detail::has_directions(seen(points)));
  for (float& x : points.row(2)) x = std::numeric_limits<float>::min();
  EXPECT_FALSE(detail::has_directions(seen(points)));
}

TEST(Points, checks_name_what_is_wrong) {
  EXPECT_NO_THROW(detail::check_same_dimension(4, 4, "queries"));
  EXPECT_THAT(invalid_argument_of(
                  [] { detail::check_same_dimension(4, 5, "queries"); }),
              ::testing::HasSubstr("queries: points of dimension 4"));
}

TEST(Streams, purposes_are_distinct) {
  const std::set<std::uint32_t> purposes = {
      detail::kBandwidthPurpose,    detail::kFirstSamplePurpose,
      detail::kSecondSamplePurpose, detail::kDirectionPurpose,
      detail::kPurityPurpose,       detail::kFlipPurpose};
  EXPECT_EQ(purposes.size(), 6u);
}

}  // namespace points_test
}  // namespace sbog::testing_support
