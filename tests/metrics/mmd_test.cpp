// SPDX-License-Identifier: Apache-2.0
// Maximum mean discrepancy against golden values and triple loops.
#include "sbog/metrics/mmd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "metrics/support.h"
#include "oracle/golden.h"
#include "sbog/energy/score_bank.h"
#include "sbog/metrics/detail/streams.h"

namespace sbog::testing_support {
namespace mmd_test {

double plain_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return std::sqrt(sum);
}

double plain_mean(const Matrix<double>& a, const Matrix<double>& b,
                  double gamma, bool skips_diagonal) {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.rows(); ++j) {
      if (skips_diagonal && i == j) continue;
      const double distance = plain_distance(a.row(i), b.row(j));
      sum += std::exp(-gamma * distance * distance);
      count += 1.0;
    }
  }
  return sum / count;
}

double plain_mmd(const Matrix<double>& a, const Matrix<double>& b, double gamma,
                 bool is_unbiased) {
  return plain_mean(a, a, gamma, is_unbiased) +
         plain_mean(b, b, gamma, is_unbiased) -
         2.0 * plain_mean(a, b, gamma, false);
}

double plain_median(const Matrix<double>& a, const Matrix<double>& b) {
  std::vector<std::span<const double>> all;
  for (std::size_t i = 0; i < a.rows(); ++i) all.push_back(a.row(i));
  for (std::size_t i = 0; i < b.rows(); ++i) all.push_back(b.row(i));
  std::vector<double> distances;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      distances.push_back(plain_distance(all[i], all[j]));
    }
  }
  std::sort(distances.begin(), distances.end());
  const std::size_t half = distances.size() / 2;
  return distances.size() % 2 == 1
             ? distances[half]
             : (distances[half - 1] + distances[half]) / 2.0;
}

double gamma_of(double bandwidth) {
  return 1.0 / (2.0 * bandwidth * bandwidth);
}

TEST(Mmd, golden_values) {
  const nlohmann::json entry = golden::entry("/metrics/mmd");
  const Matrix<double> v = golden::to_matrix(entry["v"]);
  const Matrix<double> z = golden::to_matrix(entry["z"]);
  EXPECT_NEAR(median_distance(seen(v), seen(z)).value(),
              golden::to_double(entry["median_pairwise"]), 1e-12);
  const MmdResult found = mmd_squared(seen(v), seen(z));
  EXPECT_NEAR(found.biased, golden::to_double(entry["mmd2_biased"]), 1e-12);
  EXPECT_NEAR(found.unbiased.value(), golden::to_double(entry["mmd2_unbiased"]),
              1e-12);
  EXPECT_NEAR(gamma_of(found.bandwidth), golden::to_double(entry["gamma"]),
              1e-12);
}

TEST(Mmd, agrees_with_the_plain_loops) {
  for (const std::size_t dim : {1, 3, 5, 8, 17}) {
    const Matrix<double> a = random_points(23, dim, 1);
    const Matrix<double> b = random_points(40, dim, 2);
    const MmdResult found = mmd_squared(seen(a), seen(b));
    EXPECT_NEAR(found.bandwidth, plain_median(a, b), 1e-12);
    const double gamma = gamma_of(plain_median(a, b));
    EXPECT_NEAR(found.biased, plain_mmd(a, b, gamma, false), 1e-12);
    EXPECT_NEAR(found.unbiased.value(), plain_mmd(a, b, gamma, true), 1e-12);
  }
}

TEST(Mmd, a_given_bandwidth_is_used) {
  const Matrix<double> a = random_points(10, 3, 1);
  const Matrix<double> b = random_points(12, 3, 2);
  MmdOptions options;
  options.bandwidth = 0.7;
  EXPECT_NEAR(mmd_squared(seen(a), seen(b), options).biased,
              plain_mmd(a, b, gamma_of(0.7), false), 1e-12);
}

TEST(Mmd, larger_samples_are_cut_to_drawn_ones) {
  const Matrix<double> a = random_points(300, 3, 1);
  const Matrix<double> b = random_points(500, 3, 2);
  MmdOptions options;
  options.sample_limit = 64;
  options.bandwidth = 1.5;
  options.seed = 9;
  const auto drawn = [](const Matrix<double>& all, std::uint32_t purpose) {
    const auto rows = draw_subset(all.rows(), 64, 9, purpose);
    Matrix<double> part(rows.size(), all.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(all.row(rows[i]).data(), all.cols(), part.row(i).data());
    }
    return part;
  };
  const MmdResult found = mmd_squared(seen(a), seen(b), options);
  EXPECT_EQ(found.first_count, 64u);
  EXPECT_EQ(found.second_count, 64u);
  EXPECT_NEAR(
      found.biased,
      plain_mmd(drawn(a, detail::kFirstSamplePurpose),
                drawn(b, detail::kSecondSamplePurpose), gamma_of(1.5), false),
      1e-12);
}

TEST(Mmd, the_bandwidth_comes_from_both_samples) {
  // Two far clusters of 300: some of the 20 drawn points lie in each.
  Matrix<double> a = random_points(300, 2, 1);
  const Matrix<double> b = random_points(300, 2, 2);
  for (double& x : a.elements()) x += 100.0;
  MmdOptions options;
  options.bandwidth_limit = 20;
  const double median = median_distance(seen(a), seen(b), options).value();
  options.bandwidth_limit = 600;
  const double of_all = median_distance(seen(a), seen(b), options).value();
  EXPECT_GT(of_all, 100.0);
  EXPECT_GT(median, 100.0);
  EXPECT_NE(median, of_all);
}

TEST(Mmd, is_zero_for_equal_samples) {
  const Matrix<double> a = random_points(50, 4, 3);
  const Matrix<double> same = reversed(a);
  EXPECT_NEAR(mmd_squared(seen(a), seen(same)).biased, 0.0, 1e-14);
}

TEST(Mmd, two_far_points_have_the_closed_form) {
  // One point each at distance 2: med = 2, k = exp(-1/2).
  Matrix<double> a(1, 1);
  Matrix<double> b(1, 1);
  b(0, 0) = 2.0;
  const MmdResult found = mmd_squared(seen(a), seen(b));
  EXPECT_NEAR(found.biased, 2.0 - 2.0 * std::exp(-0.5), 1e-15);
  EXPECT_FALSE(found.unbiased.has_value());
}

RC_GTEST_PROP(Mmd, biased_lies_between_0_and_2, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
  const auto dim = *rc::gen::inRange<std::size_t>(1, 6);
  const auto shift = *rc::gen::inRange(-1000, 1000) / 10.0;
  Matrix<double> a =
      random_points(*rc::gen::inRange<std::size_t>(1, 30), dim, seed);
  const Matrix<double> b =
      random_points(*rc::gen::inRange<std::size_t>(1, 30), dim, seed + 1);
  for (double& x : a.elements()) x += shift;
  const double value = mmd_squared(seen(a), seen(b)).biased;
  RC_ASSERT(value >= 0.0);
  RC_ASSERT(value <= 2.0);
}

TEST(Mmd, is_invariant_under_isometries_order_and_exchange) {
  const Matrix<double> a = random_points(30, 4, 5);
  const Matrix<double> b = random_points(35, 4, 6);
  const std::vector<double> normal = {1.0, -2.0, 0.5, 3.0};
  const double value = mmd_squared(seen(a), seen(b)).biased;
  const Matrix<double> ra = reflected(a, normal);
  const Matrix<double> rb = reflected(b, normal);
  const Matrix<double> pa = reversed(a);
  EXPECT_NEAR(mmd_squared(seen(ra), seen(rb)).biased, value, 1e-12);
  EXPECT_NEAR(mmd_squared(seen(pa), seen(b)).biased, value, 1e-12);
  EXPECT_NEAR(mmd_squared(seen(b), seen(a)).biased, value, 1e-12);
  // The bandwidth follows the scale.
  Matrix<double> sa = a.clone();
  Matrix<double> sb = b.clone();
  for (double& x : sa.elements()) x *= 7.0;
  for (double& x : sb.elements()) x *= 7.0;
  EXPECT_NEAR(mmd_squared(seen(sa), seen(sb)).biased, value, 1e-12);
}

TEST(Mmd, float_storage_is_read_as_double) {
  const Matrix<float> a = random_points<float>(20, 3, 1);
  const Matrix<float> b = random_points<float>(25, 3, 2);
  Matrix<double> da(20, 3);
  Matrix<double> db(25, 3);
  std::copy(a.elements().begin(), a.elements().end(), da.elements().begin());
  std::copy(b.elements().begin(), b.elements().end(), db.elements().begin());
  EXPECT_EQ(mmd_squared(seen(a), seen(b)).biased,
            mmd_squared(seen(da), seen(db)).biased);
}

TEST(Mmd, threads_do_not_change_a_bit) {
  const Matrix<float> a = random_points<float>(400, 9, 1);
  const Matrix<float> b = random_points<float>(700, 9, 2);
  expect_same_bits([&](const Context& context) {
    const MmdResult found = mmd_squared(seen(a), seen(b), {}, context);
    return std::vector<double>{found.biased, *found.unbiased, found.bandwidth};
  });
}

TEST(Mmd, a_median_of_zero_is_refused) {
  const Matrix<double> a(5, 2);  // all points at the origin
  const Matrix<double> b(4, 2);
  EXPECT_EQ(median_distance(seen(a), seen(b)), 0.0);
  EXPECT_THAT(invalid_argument_of([&] { mmd_squared(seen(a), seen(b)); }),
              ::testing::HasSubstr("median distance is 0"));
}

TEST(Mmd, bad_input_is_named) {
  const Matrix<double> a = random_points(3, 2, 1);
  const Matrix<double> wide = random_points(3, 4, 1);
  Matrix<double> nan = random_points(3, 2, 1);
  nan(1, 1) = std::nan("");
  EXPECT_THAT(invalid_argument_of([&] { mmd_squared(seen(a), seen(wide)); }),
              ::testing::HasSubstr("dimension 2"));
  EXPECT_THAT(invalid_argument_of([&] { mmd_squared(seen(a), seen(nan)); }),
              ::testing::HasSubstr("second sample: row 1, column 1"));
  EXPECT_THAT(invalid_argument_of(
                  [&] { mmd_squared(seen(a), MatrixView<const double>()); }),
              ::testing::HasSubstr("second sample"));
  MmdOptions options;
  options.sample_limit = 0;
  EXPECT_THAT(
      invalid_argument_of([&] { mmd_squared(seen(a), seen(a), options); }),
      ::testing::HasSubstr("sample limit"));
  options = {};
  options.bandwidth_limit = 1;
  EXPECT_THAT(
      invalid_argument_of([&] { mmd_squared(seen(a), seen(a), options); }),
      ::testing::HasSubstr("bandwidth limit"));
  options = {};
  options.bandwidth = -1.0;
  EXPECT_THAT(
      invalid_argument_of([&] { mmd_squared(seen(a), seen(a), options); }),
      ::testing::HasSubstr("bandwidth"));
}

}  // namespace mmd_test
}  // namespace sbog::testing_support
