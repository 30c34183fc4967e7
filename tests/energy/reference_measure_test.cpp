// SPDX-License-Identifier: Apache-2.0
// What a measure may be, and that every refusal names the place.
#include "sbog/energy/reference_measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "energy/support.h"
#include "oracle/energy_oracle.h"

namespace sbog {
namespace reference_measure_test {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::invalid_argument_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
std::string points_message(std::size_t row, std::size_t col, double value,
                           GroundCost cost) {
  Matrix<T> points(3, 2);
  for (T& x : points.elements()) x = T(std::sqrt(0.5));
  points(row, col) = static_cast<T>(value);
  return invalid_argument_of([&] { check_points<T>(points, cost, "bank"); });
}

TEST(CheckPoints, a_value_that_is_not_finite_is_named) {
  EXPECT_THAT(points_message<double>(2, 1, std::nan(""), GroundCost::kCosine),
              StartsWith("bank: row 2, column 1 is NaN"));
  EXPECT_THAT(points_message<float>(1, 0, kInfinity, GroundCost::kEuclidean),
              StartsWith("bank: row 1, column 0 is infinite"));
}

TEST(CheckPoints, values_whose_squares_do_not_fit_are_refused) {
  EXPECT_THAT(points_message<double>(1, 0, 1e200, GroundCost::kEuclidean),
              StartsWith("bank: row 1 is too large"));
  EXPECT_THAT(points_message<float>(1, 0, 1e30, GroundCost::kEuclidean),
              StartsWith("bank: row 1 is too large"));
  Matrix<double> large(1, 1);
  large(0, 0) = 1e30;
  EXPECT_NO_THROW(check_points<double>(large, GroundCost::kEuclidean, "bank"));
}

TEST(CheckPoints, a_direction_needs_a_length) {
  Matrix<double> points(2, 2);
  points(0, 0) = 1.0;
  const auto message = [&] {
    return invalid_argument_of(
        [&] { check_points<double>(points, GroundCost::kCosine, "queries"); });
  };
  EXPECT_THAT(message(), StartsWith("queries: row 1 is a zero vector"));
  points(1, 0) = 1e-170;
  EXPECT_THAT(message(), StartsWith("queries: row 1 is too small"));
  points(1, 0) = 1e-160;
  EXPECT_THAT(message(), StartsWith("queries: row 1 is too small"));
  points(1, 0) = 1e-150;
  EXPECT_NO_THROW(check_points<double>(points, GroundCost::kCosine, "queries"));
  points(1, 0) = 0.0;
  EXPECT_NO_THROW(
      check_points<double>(points, GroundCost::kEuclidean, "queries"));
}

TEST(CheckPoints, unit_cosine_expects_unit_vectors) {
  EXPECT_THAT(points_message<double>(1, 0, 1.0, GroundCost::kUnitCosine),
              testing::AllOf(StartsWith("bank: row 1 has length 1.22"),
                             HasSubstr("unit-cosine")));
}

TEST(CheckPoints, something_must_be_there) {
  const Matrix<double> none(3, 0);
  EXPECT_THAT(invalid_argument_of([&] {
                check_points<double>(none, GroundCost::kCosine, "bank");
              }),
              StartsWith("bank: no values, got 3 rows and 0 columns"));
}

TEST(CheckMeasure, weights_are_checked_one_by_one) {
  const auto bank = oracle::normal_matrix<double>(3, 2, 1);
  const auto message = [&](const std::vector<double>& weights) {
    return invalid_argument_of([&] {
      check_measure<double>({bank.view(), weights, {}});
    });
  };
  EXPECT_THAT(message({1.0, 2.0}), HasSubstr("(3), got 2"));
  EXPECT_THAT(message({1.0, -2.0, 1.0}), HasSubstr("entry 1"));
  EXPECT_THAT(message({1.0, 1.0, std::nan("")}), HasSubstr("entry 2"));
  EXPECT_THAT(message({kInfinity, 1.0, 1.0}), HasSubstr("entry 0"));
  EXPECT_THAT(message({0.0, 0.0, 0.0}), HasSubstr("positive finite total"));
  EXPECT_THAT(message({1e308, 1e308, 1e308}),
              HasSubstr("positive finite total"));
}

TEST(CheckMeasure, atoms_are_distinct_rows) {
  const auto bank = oracle::normal_matrix<double>(3, 2, 1);
  const std::vector<double> weights = {0.0, 0.0, 1.0};
  const auto message = [&](const std::vector<std::size_t>& atoms) {
    return invalid_argument_of([&] {
      check_measure<double>({bank.view(), weights, atoms});
    });
  };
  EXPECT_THAT(message({2, 3}), HasSubstr("index 3 is not a row"));
  EXPECT_THAT(message({2, 1, 2}), HasSubstr("index 2 is given twice"));
  EXPECT_THAT(message({0, 1}), HasSubstr("positive finite total"));
  EXPECT_NO_THROW(check_measure<double>(
      {bank.view(), weights, std::vector<std::size_t>{2, 0}}));
}

TEST(ReferenceMeasure, atoms_lead_to_points_and_back) {
  const auto bank = oracle::normal_matrix<float>(5, 2, 1);
  const std::vector<double> weights = {1, 2, 3, 4, 5};
  const std::vector<std::size_t> atoms = {4, 0, 2};
  const ReferenceMeasure<float> some{bank.view(), weights, atoms};
  EXPECT_EQ(some.atom_count(), 3u);
  EXPECT_EQ(some.point_of(0), 4u);
  EXPECT_EQ(some.weight_of(2), 3.0);
  EXPECT_EQ(positions_of_points(some),
            (std::vector<std::size_t>{1, kNoAtom, 2, kNoAtom, 0}));
  const ReferenceMeasure<float> all{bank.view(), {}, {}};
  EXPECT_EQ(all.atom_count(), 5u);
  EXPECT_EQ(all.weight_of(3), 1.0);
  EXPECT_EQ(positions_of_points(all), oracle::iota(5));
}

}  // namespace reference_measure_test
}  // namespace sbog
