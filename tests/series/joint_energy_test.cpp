// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/joint_energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "sbog/base/errors.h"
#include "series/support.h"

namespace sbog {
namespace joint_energy_test {

using testing_support::normal_rows;
using testing_support::to_float;

double distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    const double apart = static_cast<double>(a[c]) - b[c];
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

double slow_energy(const Matrix<float>& bank, std::span<const float> q,
                   double epsilon) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    nearest = std::min(nearest, distance(bank.row(i), q));
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    sum += std::exp((nearest - distance(bank.row(i), q)) / epsilon);
  }
  return nearest - epsilon * std::log(sum / static_cast<double>(bank.rows()));
}

// Channels 1 and 3 are constant in the bank.
Matrix<float> bank_with_constants(std::size_t rows) {
  Matrix<float> bank = to_float(normal_rows(rows, 5, 31));
  for (std::size_t i = 0; i < rows; ++i) {
    bank(i, 1) = 0.5F;
    bank(i, 3) = -2.0F;
  }
  return bank;
}

TEST(JointEnergy, equals_the_definition_with_constant_columns_in_the_bank) {
  const Matrix<float> bank = bank_with_constants(300);
  const JointEnergy energy(bank);
  EXPECT_EQ(energy.dim(), 4u);  // three that vary, one for the constant ones
  const Matrix<float> queries = to_float(normal_rows(40, 5, 32));
  const std::vector<double> found = energy.evaluate(queries);
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    EXPECT_NEAR(found[q], slow_energy(bank, queries.row(q), energy.epsilon()),
                2e-6);
  }
}

TEST(JointEnergy, epsilon_is_the_mean_distance_to_the_nearest_other_row) {
  const Matrix<float> bank = to_float(normal_rows(200, 3, 33));
  double sum = 0.0;
  for (std::size_t i = 0; i < bank.rows(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < bank.rows(); ++j) {
      if (j != i)
        nearest = std::min(nearest, distance(bank.row(i), bank.row(j)));
    }
    sum += nearest / static_cast<double>(bank.rows());
  }
  EXPECT_NEAR(JointEnergy(bank).epsilon(), sum, 1e-6);
}

TEST(JointEnergy, rows_that_all_repeat_give_the_distance_to_them) {
  Matrix<float> bank(60, 2);
  for (std::size_t i = 0; i < 60; ++i) bank(i, 0) = i < 30 ? 1.0F : 0.0F;
  const JointEnergy energy(bank);
  Matrix<float> query(1, 2);
  query(0, 0) = 1.0F;
  query(0, 1) = 2.0F;
  EXPECT_NEAR(energy.evaluate(query)[0], 2.0, 1e-5);
}

TEST(JointEnergy, a_single_row_or_constant_bank_is_fine) {
  const Matrix<float> bank(1, 2);
  Matrix<float> query(1, 2);
  query(0, 1) = 3.0F;
  EXPECT_NEAR(JointEnergy(bank).evaluate(query)[0], 3.0, 1e-5);
}

TEST(JointEnergy, shares_of_channels_add_up_and_name_the_culprit) {
  const Matrix<float> bank = bank_with_constants(300);
  const JointEnergy energy(bank);
  Matrix<float> query(1, 5);
  query(0, 1) = 0.5F;
  query(0, 3) = 3.0F;  // 5 away from its constant
  const std::vector<double> shares = energy.channel_shares(query.row(0));
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-12);
  EXPECT_GT(shares[3], 0.95);
  EXPECT_EQ(shares[1], 0.0);
}

TEST(JointEnergy, refuses_an_empty_bank) {
  EXPECT_THROW(JointEnergy(Matrix<float>(0, 2)), InvalidArgument);
}

TEST(JointEnergy, evenly_spaced_rows_are_i_n_over_count) {
  EXPECT_EQ(evenly_spaced(10, 4), (std::vector<std::size_t>{0, 2, 5, 7}));
  EXPECT_EQ(evenly_spaced(3, 0), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(evenly_spaced(3, 9), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace joint_energy_test
}  // namespace sbog
