// SPDX-License-Identifier: Apache-2.0
// Mean directions, cosines of pairs and centred rows against plain loops.
#include "sbog/energy/centring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "sbog/base/inner_product.h"

namespace sbog {
namespace centring_test {

using testing::HasSubstr;
using testing_support::invalid_argument_of;

// Rows of any length in a cone around (1, .., 1).
Matrix<double> cone() {
  Matrix<double> points = oracle::normal_matrix<double>(30, 6, 3);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (double& x : points.row(i)) {
      x = (x + 2.0) * (1.0 + static_cast<double>(i));
    }
  }
  return points;
}

Matrix<double> unit(const Matrix<double>& points) {
  Matrix<double> copy = points.clone();
  oracle::normalise_rows(copy);
  return copy;
}

TEST(Centring, mean_is_that_of_unit_rows) {
  const Matrix<double> points = cone();
  const Matrix<double> units = unit(points);
  const std::vector<double> weights = oracle::uniforms(30, 4);
  const auto equal = mean_direction<double>(points.view());
  const auto weighted = mean_direction<double>(points.view(), weights);
  for (std::size_t k = 0; k < 6; ++k) {
    double sum = 0.0, heavy = 0.0, mass = 0.0;
    for (std::size_t i = 0; i < 30; ++i) {
      sum += units(i, k);
      heavy += weights[i] * units(i, k);
      mass += weights[i];
    }
    EXPECT_NEAR(equal[k], sum / 30.0, 1e-14);
    EXPECT_NEAR(weighted[k], heavy / mass, 1e-14);
  }
}

TEST(Centring, mean_cosine_is_that_of_all_pairs) {
  const Matrix<double> points = cone();
  double sum = 0.0;
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 30; ++j) {
      if (i == j) continue;
      sum += cosine_of<double, double>(std::as_const(points).row(i),
                                       std::as_const(points).row(j));
    }
  }
  EXPECT_NEAR(mean_cosine(mean_direction<double>(points.view()), 30),
              sum / (30.0 * 29.0), 1e-12);
  EXPECT_EQ(mean_cosine(std::vector<double>{0.6, 0.8}, 1), 1.0);
}

TEST(Centring, rows_are_unit_vectors_around_the_middle) {
  const Matrix<double> points = cone();
  const Matrix<double> units = unit(points);
  const auto mean = mean_direction<double>(points.view());
  const Matrix<double> centred =
      centre_rows<double>(points.view(), mean, "bank");
  for (std::size_t i = 0; i < 30; ++i) {
    double length = 0.0;
    for (std::size_t k = 0; k < 6; ++k) {
      length += std::pow(units(i, k) - mean[k], 2);
    }
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(centred(i, k), (units(i, k) - mean[k]) / std::sqrt(length),
                  1e-13);
    }
  }
  // The cone is open.
  EXPECT_GT(mean_cosine(mean, 30), 0.7);
  EXPECT_LT(std::abs(mean_cosine(mean_direction<double>(centred.view()), 30)),
            0.1);
}

TEST(Centring, float_is_double_up_to_rounding) {
  const Matrix<double> points = cone();
  Matrix<float> narrow(30, 6);
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t k = 0; k < 6; ++k) {
      narrow(i, k) = static_cast<float>(points(i, k));
    }
  }
  const auto mean = mean_direction<double>(points.view());
  const auto a = centre_rows<double>(points.view(), mean, "bank");
  const auto b = centre_rows<float>(narrow.view(), mean, "bank");
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(a(i, k), b(i, k), 1e-6);
  }
}

TEST(Centring, one_negative_value_in_a_hundred_makes_features_signed) {
  Matrix<float> points(20, 20);
  EXPECT_FALSE(has_signed_features<float>(points.view()));  // all 0
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t k = 0; k < 10; ++k) points(i, k) = 1.0f;  // 200 values
  }
  EXPECT_FALSE(has_signed_features<float>(points.view()));
  points(3, 2) = -1.0f;
  EXPECT_FALSE(has_signed_features<float>(points.view()));
  points(4, 5) = -1.0f;
  EXPECT_TRUE(has_signed_features<float>(points.view()));
}

TEST(Centring, what_has_no_direction_is_refused) {
  Matrix<double> equal(3, 2);
  for (std::size_t i = 0; i < 3; ++i) equal(i, 0) = 1.0 + i;
  const auto mean = mean_direction<double>(equal.view());
  EXPECT_THAT(invalid_argument_of([&] {
                (void)centre_rows<double>(equal.view(), mean, "bank");
              }),
              HasSubstr("bank: row 0 points to the mean of the bank"));
  equal(1, 0) = 0.0;
  EXPECT_THAT(
      invalid_argument_of([&] { (void)mean_direction<double>(equal.view()); }),
      HasSubstr("row 1 is a zero vector"));
  EXPECT_THAT(invalid_argument_of([&] {
                (void)centre_rows<double>(equal.view(), mean, "queries");
              }),
              HasSubstr("queries: row 1 is a zero vector"));
  const std::vector<double> other(3, 0.1);
  EXPECT_THAT(invalid_argument_of([&] {
                (void)centre_rows<double>(equal.view(), other, "queries");
              }),
              HasSubstr("queries: dimension 3 of the bank is expected, got 2"));
}

}  // namespace centring_test
}  // namespace sbog
