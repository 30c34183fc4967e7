// SPDX-License-Identifier: Apache-2.0
// Diversity against the golden value, the double loop and closed forms.
#include "sbog/metrics/diversity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "metrics/support.h"
#include "oracle/golden.h"

namespace sbog::testing_support {
namespace diversity_test {

template <typename T>
double plain_diversity(const Matrix<T>& points) {
  double sum = 0.0;
  double pairs = 0.0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.rows(); ++j) {
      if (i == j) continue;
      sum += plain_cosine(points.row(i), points.row(j));
      pairs += 1.0;
    }
  }
  return 1.0 - sum / pairs;
}

TEST(Diversity, golden_value) {
  const Matrix<double> v = golden::to_matrix(golden::entry("/metrics/mmd/z"));
  EXPECT_NEAR(diversity(seen(v)).value(),
              golden::to_double(golden::entry("/metrics/diversity/value")),
              1e-12);
}

RC_GTEST_PROP(Diversity, agrees_with_the_double_loop, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const auto rows = *rc::gen::inRange<std::size_t>(2, 40);
  const auto dim = *rc::gen::inRange<std::size_t>(1, 12);
  const Matrix<double> points = random_points(rows, dim, seed);
  RC_ASSERT(std::abs(diversity(seen(points)).value() -
                     plain_diversity(points)) < 1e-12);
}

TEST(Diversity, float_rows_are_normalised_in_double) {
  const Matrix<float> points = random_directions<float>(200, 64, 3);
  EXPECT_NEAR(diversity(seen(points)).value(), plain_diversity(points), 1e-12);
}

TEST(Diversity, closed_forms) {
  Matrix<double> equal(4, 3);
  for (std::size_t i = 0; i < 4; ++i) equal(i, 1) = 2.0;
  EXPECT_NEAR(diversity(seen(equal)).value(), 0.0, 1e-15);
  Matrix<double> orthogonal(3, 3);
  for (std::size_t i = 0; i < 3; ++i) orthogonal(i, i) = 1.0 + double(i);
  EXPECT_NEAR(diversity(seen(orthogonal)).value(), 1.0, 1e-15);
  Matrix<double> opposite(2, 2);
  opposite(0, 0) = 1.0;
  opposite(1, 0) = -5.0;
  EXPECT_NEAR(diversity(seen(opposite)).value(), 2.0, 1e-15);
}

TEST(Diversity, is_invariant_under_rotation_order_and_scale) {
  const Matrix<double> points = random_points(30, 4, 1);
  const double value = diversity(seen(points)).value();
  const Matrix<double> turned = reflected(points, {1.0, 2.0, -1.0, 0.5});
  EXPECT_NEAR(diversity(seen(turned)).value(), value, 1e-12);
  Matrix<double> other = reversed(points);
  for (std::size_t i = 0; i < other.rows(); ++i) {
    for (double& x : other.row(i)) x *= 1.0 + double(i);
  }
  EXPECT_NEAR(diversity(seen(other)).value(), value, 1e-12);
}

TEST(Diversity, needs_two_points) {
  const Matrix<double> one = random_points(1, 3, 1);
  EXPECT_EQ(diversity(seen(one)), std::nullopt);
  EXPECT_EQ(diversity(MatrixView<const double>()), std::nullopt);
}

TEST(DiversityWithinClasses, is_the_mean_over_classes) {
  const Matrix<double> points = random_points(7, 3, 2);
  // Class 5 has rows 0 2 4, class -1 rows 1 3, class 9 row 5, class 8 row 6.
  const std::vector<std::int64_t> classes = {5, -1, 5, -1, 5, 9, 8};
  const auto rows = [&](const std::vector<std::size_t>& wanted) {
    Matrix<double> part(wanted.size(), 3);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::copy_n(points.row(wanted[i]).data(), 3, part.row(i).data());
    }
    return part;
  };
  EXPECT_NEAR(
      diversity_within_classes(seen(points), classes).value(),
      (plain_diversity(rows({0, 2, 4})) + plain_diversity(rows({1, 3}))) / 2.0,
      1e-12);
}

TEST(DiversityWithinClasses, needs_two_points_of_a_class) {
  const Matrix<double> points = random_points(3, 2, 2);
  const std::vector<std::int64_t> classes = {0, 1, 2};
  EXPECT_EQ(diversity_within_classes(seen(points), classes), std::nullopt);
  EXPECT_EQ(diversity_within_classes(MatrixView<const double>(), {}),
            std::nullopt);
}

TEST(Diversity, bad_input_is_named) {
  Matrix<double> points = random_points(3, 2, 1);
  const std::vector<std::int64_t> classes = {0, 1};
  EXPECT_THAT(invalid_argument_of([&] {
                (void)diversity_within_classes(seen(points), classes);
              }),
              ::testing::HasSubstr("classes: one per row is expected (3)"));
  points(1, 0) = points(1, 1) = 0.0;
  EXPECT_THAT(invalid_argument_of([&] { (void)diversity(seen(points)); }),
              ::testing::HasSubstr("row 1 is a zero vector"));
  points(1, 0) = std::nan("");
  EXPECT_THAT(invalid_argument_of([&] { (void)diversity(seen(points)); }),
              ::testing::HasSubstr("row 1, column 0 is NaN"));
}

}  // namespace diversity_test
}  // namespace sbog::testing_support
