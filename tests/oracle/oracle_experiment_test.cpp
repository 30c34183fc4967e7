// SPDX-License-Identifier: Apache-2.0
// The controlled experiment on a reduced size: what must hold exactly, and what
// must hold by a wide margin.
#include "sbog/oracle/oracle_experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog {
namespace oracle_experiment_test {

const OracleWorld& small_world() {
  static const OracleWorld kWorld = [] {
    OracleSettings settings;
    settings.bank_per_class = 500;
    settings.outputs_per_class = 100;
    settings.oracle_per_region = 100;
    settings.test_in = 300;
    settings.test_oracle = 99;
    settings.delta_draws = 2000;
    return OracleWorld(settings);
  }();
  return kWorld;
}

SamplerOptions options_with(Rule rule) {
  SamplerOptions options = oracle_options();
  options.anchor_count = 20;
  options.proposal_count = 64;
  options.rule = rule;
  return options;
}

std::vector<double> numbers_of(const OracleRow& row) {
  std::vector<double> numbers = {row.boundary_precision, row.semantic_validity,
                                 row.boundary_coverage,  row.worst_coverage,
                                 row.sliced_wasserstein, row.oracle_aupr,
                                 row.round_acceptance,   row.decode_failure};
  numbers.insert(numbers.end(), row.region_coverage.begin(),
                 row.region_coverage.end());
  return numbers;
}

void expect_same_bits(const OracleRow& a, const OracleRow& b) {
  const std::vector<double> x = numbers_of(a);
  const std::vector<double> y = numbers_of(b);
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x[i]),
              std::bit_cast<std::uint64_t>(y[i]))
        << i;
  }
}

TEST(OracleExperiment, options_are_those_of_algorithm_1) {
  const SamplerOptions o = oracle_options();
  EXPECT_EQ(o.energy.epsilon, 0.02);
  EXPECT_EQ(o.sigma, 0.02);
  EXPECT_EQ(o.proposal_count, 128u);
  EXPECT_EQ(o.quantile, 0.95);
  EXPECT_EQ(o.margin, 0.0);
  EXPECT_EQ(o.trim, 0.08);
  EXPECT_FALSE(o.includes_self);
  EXPECT_EQ(o.anchor_count, 40u);
  EXPECT_EQ(o.anchor_rule, AnchorRule::kTop);
  EXPECT_EQ(o.pick, PickRule::kArgmax);
  EXPECT_EQ(o.max_rounds, 6u);
  EXPECT_EQ(o.semantic_quantile, 0.01);
  EXPECT_EQ(o.semantic_slack, 0.02);
  EXPECT_FALSE(o.splitting);
}

TEST(OracleExperiment, the_matched_kernel_density_is_the_energy_exactly) {
  expect_same_bits(run_oracle(small_world(), options_with(Rule::kSbog)),
                   run_oracle(small_world(), options_with(Rule::kKdeMatched)));
}

TEST(OracleExperiment, support_scores_hit_the_band_twice_as_often_as_chance) {
  const OracleRow random =
      run_oracle(small_world(), options_with(Rule::kRandom));
  EXPECT_GT(random.boundary_precision, 0.1);
  EXPECT_EQ(random.round_acceptance, 1.0);
  for (const Rule rule : {Rule::kSbog, Rule::kKnn, Rule::kKdeScott}) {
    const OracleRow row = run_oracle(small_world(), options_with(rule));
    EXPECT_GE(row.boundary_precision, 2.0 * random.boundary_precision)
        << to_string(rule);
    EXPECT_LT(row.boundary_coverage, random.boundary_coverage);
  }
}

TEST(OracleExperiment, spread_anchors_cover_five_times_as_much) {
  SamplerOptions spread = options_with(Rule::kSbog);
  spread.anchor_rule = AnchorRule::kFarthestPoint;
  spread.anchor_count = 64;
  spread.quantile = 0.8;
  spread.pick = PickRule::kUniform;
  SamplerOptions narrow = options_with(Rule::kSbog);
  narrow.anchor_count = 10;  // 2 % of the class, as in the full experiment
  const OracleRow wide = run_oracle(small_world(), spread);
  const OracleRow tight = run_oracle(small_world(), narrow);
  EXPECT_GE(wide.boundary_coverage, 5.0 * tight.boundary_coverage);
  EXPECT_GT(wide.boundary_coverage, 0.05);
}

TEST(OracleExperiment, rows_are_the_same_for_any_number_of_threads) {
  SamplerOptions options = options_with(Rule::kSbog);
  options.pick = PickRule::kUniform;
  const OracleRow alone = run_oracle(small_world(), options);
  for (const std::size_t threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    expect_same_bits(alone,
                     run_oracle(small_world(), options, {&pool, nullptr}));
  }
}

TEST(OracleExperiment, every_row_is_made_of_shares) {
  for (const Rule rule : {Rule::kVos, Rule::kBood, Rule::kNoArgmax}) {
    const OracleRow row = run_oracle(small_world(), options_with(rule));
    for (const double share :
         {row.boundary_precision, row.semantic_validity, row.boundary_coverage,
          row.worst_coverage, row.oracle_aupr, row.round_acceptance,
          row.decode_failure}) {
      EXPECT_GE(share, 0.0) << to_string(rule);
      EXPECT_LE(share, 1.0) << to_string(rule);
    }
    EXPECT_GT(row.sliced_wasserstein, 0.0);
    EXPECT_EQ(row.region_coverage.size(), kOracleRegions);
    EXPECT_NEAR(row.boundary_coverage,
                std::accumulate(row.region_coverage.begin(),
                                row.region_coverage.end(), 0.0) /
                    9.0,
                1e-12);
  }
}

TEST(OracleExperiment, a_generator_without_outputs_has_a_row_that_says_so) {
  SamplerOptions options = options_with(Rule::kSbog);
  options.margin = 1.0;
  const OracleRow row = run_oracle(small_world(), options);
  EXPECT_TRUE(std::isnan(row.boundary_precision));
  EXPECT_TRUE(std::isnan(row.sliced_wasserstein));
  EXPECT_EQ(row.boundary_coverage, 0.0);
  EXPECT_EQ(row.round_acceptance, 0.0);
  EXPECT_NEAR(row.oracle_aupr, 99.0 / 399.0, 1e-12);  // share of positives
}

TEST(OracleExperiment, refuses_options_that_make_no_sense) {
  SamplerOptions options = oracle_options();
  options.sigma = -1.0;
  EXPECT_THROW(run_oracle(small_world(), options), InvalidArgument);
}

}  // namespace oracle_experiment_test
}  // namespace sbog
