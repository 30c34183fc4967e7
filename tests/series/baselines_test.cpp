// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/baselines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbog/base/errors.h"
#include "sbog/series/channel_scaling.h"
#include "series/support.h"

namespace sbog {
namespace baselines_test {

using testing_support::normal_rows;

TEST(Baselines, random_scores_are_uniform_and_keyed_by_the_seed) {
  const Matrix<double> train = normal_rows(30, 2, 150);
  const Matrix<double> test = normal_rows(5000, 2, 151);
  const auto a = baseline_scores(Baseline::kRandom, train, test, 1);
  EXPECT_EQ(a, baseline_scores(Baseline::kRandom, train, test, 1));
  EXPECT_NE(a, baseline_scores(Baseline::kRandom, train, test, 2));
  double mean = 0.0;
  for (const double x : a) {
    EXPECT_GE(x, 0.0);
    EXPECT_LE(x, 1.0);
    mean += x / 5000.0;
  }
  EXPECT_NEAR(mean, 0.5, 0.02);
}

// Training values 0 and 10 in channel 0, 0 and 1 in channel 1.
Matrix<double> corners() {
  Matrix<double> train(4, 2);
  train(1, 0) = train(3, 0) = 10.0;
  train(2, 1) = train(3, 1) = 1.0;
  return train;
}

Matrix<double> one_row(double x, double y) {
  Matrix<double> row(1, 2);
  row(0, 0) = x;
  row(0, 1) = y;
  return row;
}

TEST(Baselines, the_norm_is_that_of_channels_between_0_and_1) {
  const auto score = [](double x, double y) {
    return baseline_scores(Baseline::kNorm, corners(), one_row(x, y))[0];
  };
  EXPECT_NEAR(score(0.0, 0.0), 0.0, 1e-6);
  EXPECT_NEAR(score(10.0, 1.0), std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(score(15.0, 0.0), 1.5, 1e-6);
}

TEST(Baselines, z_scores_divide_by_the_deviations) {
  // Means 5 and 1/2, deviations 5 and 1/2.
  const auto score = [](Baseline rule, double x, double y) {
    return baseline_scores(rule, corners(), one_row(x, y))[0];
  };
  EXPECT_NEAR(score(Baseline::kNormZ, 5.0, 0.5), 0.0, 1e-6);
  EXPECT_NEAR(score(Baseline::kNormZ, 20.0, 2.5), 5.0, 1e-5);
  EXPECT_NEAR(score(Baseline::kNearestZ, 10.0, 1.0), 0.0, 1e-6);
  EXPECT_NEAR(score(Baseline::kNearestZ, 25.0, 3.0), 5.0, 1e-5);
  EXPECT_THROW(
      baseline_scores(Baseline::kNormZ, corners(), Matrix<double>(1, 3)),
      InvalidArgument);
}

TEST(Baselines, the_range_rule_adds_up_what_sticks_out) {
  const auto score = [](double x, double y) {
    return baseline_scores(Baseline::kRange, corners(), one_row(x, y))[0];
  };
  EXPECT_EQ(score(5.0, 0.5), 0.0);
  EXPECT_NEAR(score(12.0, 0.5), 0.2, 1e-6);
  EXPECT_NEAR(score(12.0, -0.5), 0.7, 1e-6);
}

TEST(Baselines, the_nearest_row_decides) {
  const Matrix<double> train = normal_rows(80, 3, 152);
  const Matrix<double> test = normal_rows(20, 3, 153);
  const auto found = baseline_scores(Baseline::kNearest, train, test);
  const ChannelScaling scaling = fit_scaling(train);
  const Matrix<float> known = scaling.apply(train);
  const Matrix<float> seen = scaling.apply(test);
  for (std::size_t t = 0; t < test.rows(); ++t) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < known.rows(); ++i) {
      double square = 0.0;
      for (std::size_t c = 0; c < 3; ++c) {
        const double apart = static_cast<double>(known(i, c)) - seen(t, c);
        square += apart * apart;
      }
      nearest = std::min(nearest, std::sqrt(square));
    }
    EXPECT_NEAR(found[t], nearest, 1e-6);
  }
}

TEST(Baselines, the_distance_to_a_line_is_the_error_of_one_component) {
  // Rows on the diagonal: one component holds everything.
  Matrix<double> train(101, 2);
  for (std::size_t t = 0; t < 101; ++t) {
    train(t, 0) = train(t, 1) = 0.01 * static_cast<double>(t);
  }
  const auto score = [&](double x, double y) {
    return baseline_scores(Baseline::kPca, train, one_row(x, y))[0];
  };
  EXPECT_NEAR(score(0.3, 0.3), 0.0, 1e-6);
  EXPECT_NEAR(score(0.9, 0.1), 0.8 / std::sqrt(2.0), 1e-6);
}

TEST(Baselines, every_rule_gives_one_finite_score_per_row) {
  const Matrix<double> train = normal_rows(120, 3, 154);
  const Matrix<double> test = normal_rows(90, 3, 155);
  for (const Baseline rule : kAllBaselines) {
    const auto scores = baseline_scores(rule, train, test);
    ASSERT_EQ(scores.size(), 90u) << to_string(rule);
    for (const double score : scores) EXPECT_TRUE(std::isfinite(score));
  }
}

TEST(Baselines, refuse_series_that_do_not_fit) {
  const Matrix<double> train = normal_rows(60, 3, 156);
  EXPECT_THROW(baseline_scores(Baseline::kNorm, train, normal_rows(60, 2, 157)),
               InvalidArgument);
  EXPECT_THROW(baseline_scores(Baseline::kNorm, train, Matrix<double>(0, 3)),
               InvalidArgument);
  EXPECT_THROW(
      baseline_scores(Baseline::kKMeans, train, normal_rows(19, 3, 158)),
      InvalidArgument);
}

TEST(Baselines, have_names) {
  EXPECT_EQ(to_string(Baseline::kNearest), "1nn");
  EXPECT_EQ(to_string(Baseline::kKMeans), "kmeans");
}

}  // namespace baselines_test
}  // namespace sbog
