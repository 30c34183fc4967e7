// SPDX-License-Identifier: Apache-2.0
// Means and covariance within classes, against plain sums.
#include "sbog/sample/within_class.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sample/support.h"

namespace sbog {
namespace within_class_test {

// Mean of the rows of a class, of unit length where asked for.
std::vector<double> plain_mean(const Matrix<double>& bank,
                               const std::vector<std::uint32_t>& labels,
                               const std::vector<std::size_t>& rows,
                               std::uint32_t cls, bool is_sphere) {
  std::vector<long double> sum(bank.cols(), 0.0L);
  long double count = 0;
  for (const std::size_t i : rows) {
    if (labels[i] != cls) continue;
    long double square = 0;
    for (const double x : bank.row(i)) square += x * x;
    const long double scale = is_sphere ? 1 / std::sqrt(square) : 1;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += scale * bank(i, k);
    count += 1;
  }
  std::vector<double> mean;
  for (const long double x : sum) {
    mean.push_back(static_cast<double>(x / std::max(count, 1.0L)));
  }
  return mean;
}

void expect_plain_moments(const std::vector<std::size_t>& chosen,
                          bool is_sphere) {
  // More rows than are added up at once.
  const Matrix<double> bank = oracle::normal_matrix<double>(1100, 4, 8);
  std::vector<std::uint32_t> labels;
  for (std::size_t i = 0; i < bank.rows(); ++i) labels.push_back(i % 3);
  const WithinClass<double> within(bank.view(), labels, 4, is_sphere, chosen);
  std::vector<std::size_t> rows = chosen;
  if (rows.empty()) rows = oracle::iota(bank.rows());
  ASSERT_EQ(within.row_count(), rows.size());
  Matrix<double> covariance(4, 4);
  for (std::uint32_t c = 0; c < 4; ++c) {
    const auto mean = plain_mean(bank, labels, rows, c, is_sphere);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(within.means()(c, k), mean[k], 1e-13);
    }
  }
  const Matrix<double> centred = within.centred(0, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        covariance(a, b) +=
            centred(i, a) * centred(i, b) / static_cast<double>(rows.size());
      }
    }
  }
  const Matrix<double> found = within.covariance();
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      EXPECT_NEAR(found(a, b), covariance(a, b), 1e-12);
    }
  }
}

TEST(WithinClass, moments_are_the_plain_sums) {
  expect_plain_moments({}, false);
  expect_plain_moments({}, true);
  expect_plain_moments({0, 3, 5, 9, 700, 1099}, true);
}

TEST(WithinClass, classes_of_one_point_do_not_vary) {
  const Matrix<float> bank = testing_support::sphere_bank<float>(3, 5, 1);
  const std::vector<std::uint32_t> labels = {0, 1, 2};
  const WithinClass<float> within(bank.view(), labels, 3, true);
  const Matrix<double> covariance = within.covariance();
  for (const double x : covariance.elements()) EXPECT_NEAR(x, 0.0, 1e-30);
}

}  // namespace within_class_test
}  // namespace sbog
