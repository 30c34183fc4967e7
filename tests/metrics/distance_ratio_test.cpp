// SPDX-License-Identifier: Apache-2.0
// The distance ratio against all pairs, at closed forms and at the borders.
#include "sbog/metrics/distance_ratio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "oracle/energy_oracle.h"
#include "sbog/base/thread_pool.h"

namespace sbog {
namespace distance_ratio_test {

double plain_distance(std::span<const double> a, std::span<const double> b) {
  long double square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    square += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return static_cast<double>(std::sqrt(square));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

TEST(DistanceRatio, equals_the_medians_over_all_pairs) {
  Matrix<double> bank = oracle::normal_matrix<double>(60, 5, 1);
  Matrix<double> outliers = oracle::normal_matrix<double>(21, 5, 2, 3.0);
  oracle::normalise_rows(bank);
  oracle::normalise_rows(outliers);
  std::vector<double> out;
  std::vector<double> held;
  for (std::size_t i = 0; i < outliers.rows(); ++i) {
    double least = 10.0;
    for (std::size_t j = 0; j < bank.rows(); ++j) {
      least = std::min(least, plain_distance(outliers.row(i), bank.row(j)));
    }
    out.push_back(least);
  }
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    double least = 10.0;
    for (std::size_t j = 0; j < bank.rows(); ++j) {
      if (i == j) continue;
      least = std::min(least, plain_distance(bank.row(i), bank.row(j)));
    }
    held.push_back(least);
  }
  ThreadPool pool(3);
  for (const GroundCost cost : {GroundCost::kCosine, GroundCost::kEuclidean,
                                GroundCost::kSquaredEuclidean}) {
    const DistanceRatio found = distance_ratio<double>(
        bank.view(), outliers.view(), {cost, 0.1, {}}, {}, {&pool, nullptr});
    EXPECT_NEAR(found.outliers, median_of(out), 1e-7);
    EXPECT_NEAR(found.held_out, median_of(held), 1e-7);
    EXPECT_NEAR(found.ratio.value(), median_of(out) / median_of(held), 1e-6);
  }
}

TEST(DistanceRatio, copies_of_the_bank_have_the_ratio_0) {
  Matrix<double> bank = oracle::normal_matrix<double>(30, 4, 1);
  const DistanceRatio found = distance_ratio<double>(
      bank.view(), bank.view(), {GroundCost::kEuclidean, 0.1, {}});
  EXPECT_EQ(found.outliers, 0.0);
  EXPECT_EQ(found.ratio.value(), 0.0);
}

TEST(DistanceRatio, a_bank_of_copies_or_no_outliers_has_no_ratio) {
  Matrix<double> bank(4, 2);
  for (double& x : bank.elements()) x = 1.0;
  const EnergyOptions energy{GroundCost::kEuclidean, 0.1, {}};
  EXPECT_FALSE(distance_ratio<double>(bank.view(), bank.view(), energy).ratio);
  EXPECT_FALSE(distance_ratio<double>(bank.view(), {}, energy).ratio);
  EXPECT_FALSE(
      distance_ratio<double>(bank.view().subrows(0, 1), bank.view(), energy)
          .ratio);
}

TEST(DistanceRatio, a_sample_is_near_the_whole) {
  const Matrix<double> bank = oracle::normal_matrix<double>(900, 3, 1);
  const Matrix<double> outliers = oracle::normal_matrix<double>(900, 3, 2, 4.0);
  const EnergyOptions energy{GroundCost::kEuclidean, 0.1, {}};
  const double whole =
      distance_ratio<double>(bank.view(), outliers.view(), energy)
          .ratio.value();
  const double part =
      distance_ratio<double>(bank.view(), outliers.view(), energy, {300, 5})
          .ratio.value();
  EXPECT_NE(part, whole);
  EXPECT_NEAR(part, whole, 0.2 * whole);
}

}  // namespace distance_ratio_test
}  // namespace sbog
