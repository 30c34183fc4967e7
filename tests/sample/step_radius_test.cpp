// SPDX-License-Identifier: Apache-2.0
// Radii: as given, from sigma, and found from the scores of a class.
#include "sbog/sample/step_radius.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sample/support.h"
#include "sbog/base/thread_pool.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/round.h"

namespace sbog {
namespace step_radius_test {

using testing_support::small_options;
using testing_support::sphere_bank;

SamplerOptions auto_options() {
  SamplerOptions options = small_options();
  options.radius = RadiusRange{true, 0.0, 0.0};
  options.quantile = 0.95;
  return options;
}

// Median score of fresh isotropic proposals from all anchors at a radius.
double plain_median(const PreparedClass<double>& prepared, double radius) {
  const std::size_t dim = prepared.problem.points.cols();
  const double sigma = radius / std::sqrt(static_cast<double>(dim));
  std::vector<double> scores;
  for (std::size_t a = 0; a < prepared.anchors.anchors.size(); ++a) {
    Matrix<double> points(200, dim);
    std::vector<bool> is_valid;
    draw_proposals({99, 0, 0, static_cast<std::uint32_t>(a)},
                   {prepared.mapped_anchors.row(a), {sigma, sigma}},
                   prepared.options, points.view(), is_valid);
    for (const double score : prepared.score(a, std::as_const(points).view())) {
      scores.push_back(score);
    }
  }
  return quantile(scores, 0.5);
}

TEST(StepRadius, auto_reaches_the_threshold_and_the_rare_score) {
  for (const std::size_t dim : {8u, 64u}) {
    const Matrix<double> bank = sphere_bank<double>(300, dim, 5);
    const auto prepared =
        prepare_class<double>({bank.view(), {}, {}, 0}, auto_options());
    const ClassPlan& plan = prepared->plan;
    EXPECT_GT(plan.radius_high, plan.radius_low);
    const double rare = tail_score(prepared->scores, 1e-3);
    const double spread = rare - plan.threshold;
    ASSERT_GT(spread, 0.0);
    // The median of 64 steps is not that of all: within a share of the band.
    EXPECT_NEAR(plain_median(*prepared, plan.radius_low), plan.threshold,
                0.35 * spread);
    EXPECT_NEAR(plain_median(*prepared, plan.radius_high), rare, 0.35 * spread);
    EXPECT_DOUBLE_EQ(prepared->scale.low,
                     plan.radius_low / std::sqrt(static_cast<double>(dim)));
  }
}

TEST(StepRadius, three_digits_are_kept_and_threads_do_not_matter) {
  const Matrix<float> bank = sphere_bank<float>(200, 16, 6);
  ThreadPool pool(7);
  const auto one =
      prepare_class<float>({bank.view(), {}, {}, 0}, auto_options());
  const auto many = prepare_class<float>({bank.view(), {}, {}, 0},
                                         auto_options(), {&pool, nullptr});
  EXPECT_EQ(one->plan.radius_low, many->plan.radius_low);
  EXPECT_EQ(one->plan.radius_high, many->plan.radius_high);
  const double digits =
      one->plan.radius_low /
      std::pow(10.0, std::floor(std::log10(one->plan.radius_low)) - 2.0);
  EXPECT_NEAR(digits, std::round(digits), 1e-9);
}

TEST(StepRadius, without_a_radius_sigma_decides) {
  const Matrix<double> bank = sphere_bank<double>(50, 16, 6);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  EXPECT_EQ(prepared->scale.low, 0.05);
  EXPECT_EQ(prepared->scale.high, 0.05);
  EXPECT_DOUBLE_EQ(prepared->plan.radius_low, 0.2);
}

TEST(StepRadius, a_given_range_is_taken_as_it_is) {
  const Matrix<double> bank = sphere_bank<double>(50, 16, 6);
  SamplerOptions options = small_options();
  options.radius = RadiusRange{false, 1.5, 4.0};
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_EQ(prepared->plan.radius_low, 1.5);
  EXPECT_EQ(prepared->plan.radius_high, 4.0);
  EXPECT_DOUBLE_EQ(prepared->scale.high, 1.0);
}

TEST(StepRadius, a_split_bank_decides_by_the_half_that_proposes) {
  // The reference half is moved: what the calibration half says must not.
  Matrix<double> bank = sphere_bank<double>(200, 16, 6);
  SamplerOptions options = auto_options();
  options.certify = true;
  const auto before = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  for (const std::size_t i : before->kept) {
    for (std::size_t k = 0; k < 16; ++k) bank(i, k) = k == 3 ? 1.0 : 0.0;
  }
  const auto after = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_EQ(before->plan.radius_low, after->plan.radius_low);
  EXPECT_EQ(before->plan.radius_high, after->plan.radius_high);
  EXPECT_NE(before->plan.threshold, after->plan.threshold);
}

TEST(StepRadius, one_point_gives_finite_radii) {
  const Matrix<double> bank = sphere_bank<double>(1, 8, 6);
  SamplerOptions options = auto_options();
  options.includes_self = true;
  options.auto_epsilon = true;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_TRUE(std::isfinite(prepared->scale.low));
  EXPECT_GT(prepared->scale.low, 0.0);
  EXPECT_LE(prepared->plan.radius_high, kLongestRadius);
  EXPECT_EQ(prepared->plan.epsilon, 0.05);
}

TEST(StepRadius, the_tail_of_an_exponential_law_is_its_quantile) {
  std::vector<double> scores;
  for (int i = 0; i < 100000; ++i) {
    scores.push_back(-0.5 * std::log((i + 0.5) / 100000.0));
  }
  EXPECT_NEAR(tail_score(scores, 1e-3), 0.5 * std::log(1000.0), 2e-3);
  EXPECT_EQ(tail_score(std::vector<double>(5, 2.0), 1e-3), 2.0);
}

}  // namespace step_radius_test
}  // namespace sbog
