// SPDX-License-Identifier: Apache-2.0
// Splitting: reaches rare levels, and estimates their probability.
#include "sbog/sample/splitting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sample/support.h"
#include "sbog/energy/threshold.h"
#include "sbog/sample/proposals.h"

namespace sbog {
namespace splitting_test {

using testing_support::run_class;
using testing_support::small_options;
using testing_support::sphere_bank;
using testing_support::unit;

// Plain proposals of anchor 0.
std::vector<Output<double>> plain_proposals(
    const PreparedClass<double>& prepared, std::size_t draws) {
  Matrix<double> points(draws, prepared.problem.points.cols());
  std::vector<bool> is_valid;
  draw_proposals({999, 0, 0, 0},
                 {prepared.mapped_anchors.row(0), prepared.scale},
                 prepared.options, points.view(), is_valid);
  std::vector<Output<double>> outputs(draws);
  for (std::size_t j = 0; j < draws; ++j) {
    const auto row = std::as_const(points).row(j);
    outputs[j].point.assign(row.begin(), row.end());
  }
  return outputs;
}

// The share of them that is feasible.
double monte_carlo(const PreparedClass<double>& prepared, std::size_t draws) {
  std::size_t feasible = 0;
  for (Output<double>& output : plain_proposals(prepared, draws)) {
    feasible += verify_output(prepared, output) ? 1 : 0;
  }
  return static_cast<double>(feasible) / static_cast<double>(draws);
}

// The energy that a share of them stays below.
double energy_quantile(const PreparedClass<double>& prepared, double level) {
  std::vector<double> energies;
  for (Output<double>& output : plain_proposals(prepared, 20000)) {
    verify_output(prepared, output);
    energies.push_back(output.energy);
  }
  return quantile(energies, level);
}

// The mean of the estimates over several outputs.
double splitting_estimate(const PreparedClass<double>& prepared,
                          std::size_t outputs) {
  double total = 0.0;
  for (std::size_t k = 0; k < outputs; ++k) {
    Output<double> output;
    output.k = k;
    total += split_to_level(prepared, output).probability;
  }
  return total / static_cast<double>(outputs);
}

SamplerOptions one_anchor() {
  SamplerOptions options = small_options();
  options.anchor_count = 1;
  options.proposal_count = 128;
  return options;
}

TEST(Splitting, estimates_the_probability_of_an_easy_level) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  SamplerOptions options = one_anchor();
  auto prepared = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  for (const double level : {0.7, 0.95, 0.998}) {
    prepared->limits.threshold = energy_quantile(*prepared, level);
    const double truth = monte_carlo(*prepared, 20000);
    EXPECT_NEAR(truth, 1.0 - level, 1e-3);
    const double estimate = splitting_estimate(*prepared, 12);
    EXPECT_GT(estimate, truth / 3.0) << level;
    EXPECT_LT(estimate, truth * 3.0) << level;
  }
}

TEST(Splitting, estimates_a_probability_that_a_cosine_test_makes_small) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  SamplerOptions options = one_anchor();
  options.quantile = 0.3;
  options.semantic_floor = 0.0;
  auto prepared = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  // A class anchor to the side, so that one proposal in ten passes.
  const auto z = prepared->mapped_anchors.row(0);
  std::vector<double> t = unit({-z[1], z[0], -z[3], z[2]});
  prepared->problem.class_anchor = t;
  prepared->limits.semantic_floor = 1.3 * options.sigma;
  const double truth = monte_carlo(*prepared, 20000);
  ASSERT_GT(truth, 0.01);
  ASSERT_LT(truth, 0.3);
  const double estimate = splitting_estimate(*prepared, 12);
  EXPECT_GT(estimate, truth / 3.0);
  EXPECT_LT(estimate, truth * 3.0);
}

template <typename T>
void expect_reaches_where_rounds_fail(double threshold) {
  const Matrix<T> bank = sphere_bank<T>(100, 4, 3);
  SamplerOptions options = one_anchor();
  options.max_rounds = 2;
  auto prepared = prepare_class<T>({bank.view(), {}, {}, 0}, options);
  prepared->limits.threshold = threshold;
  prepared->plan.threshold = threshold;
  ASSERT_EQ(run_class(*prepared, 20).accepted(), 0u);
  prepared->options.splitting = true;
  const auto run = run_class(*prepared, 20);
  EXPECT_GT(run.accepted(), 10u);
  for (Output<T> output : run.outputs) {
    if (!output.is_accepted) {
      EXPECT_TRUE(output.point.empty());
      continue;
    }
    EXPECT_EQ(output.origin, OutputOrigin::kSplitting);
    EXPECT_TRUE(verify_output(*prepared, output));
    EXPECT_GE(output.margin, 0.0);
  }
}

TEST(Splitting, reaches_thresholds_where_plain_rounds_fail) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, one_anchor());
  // Beyond what one plain proposal in 10,000 reaches.
  const double threshold = energy_quantile(*prepared, 0.9999) + 0.006;
  expect_reaches_where_rounds_fail<double>(threshold);
  expect_reaches_where_rounds_fail<float>(threshold);
}

TEST(Splitting, gives_up_on_what_cannot_be_reached) {
  const Matrix<double> bank = sphere_bank<double>(50, 4, 3);
  auto prepared = prepare_class<double>({bank.view(), {}, {}, 0}, one_anchor());
  prepared->limits.threshold = 100.0;
  Output<double> output;
  const SplittingResult result = split_to_level(*prepared, output);
  EXPECT_FALSE(result.has_reached);
  EXPECT_EQ(result.levels, kSplittingLevels);
  EXPECT_LT(result.probability, 1e-5);
  EXPECT_FALSE(output.is_accepted);
  EXPECT_TRUE(output.point.empty());
  prepared->limits.threshold = 0.0;
  prepared->limits.seed_floor = 2.0;
  const SplittingResult never = split_to_level(*prepared, output);
  EXPECT_FALSE(never.has_reached);
  EXPECT_EQ(never.probability, 0.0);
}

TEST(Splitting, keeps_to_the_anchor_of_a_quota) {
  const Matrix<double> bank = sphere_bank<double>(50, 4, 3);
  SamplerOptions options = small_options();
  options.anchor_quota = true;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  for (std::size_t k = 0; k < 20; ++k) {
    Output<double> output;
    output.k = k;
    split_to_level(*prepared, output);
    EXPECT_EQ(output.anchor, k % 8);
  }
}

}  // namespace splitting_test
}  // namespace sbog
