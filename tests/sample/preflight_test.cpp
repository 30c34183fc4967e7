// SPDX-License-Identifier: Apache-2.0
// What is declared infeasible without sampling, and what must not be.
#include "sbog/sample/preflight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sample/support.h"
#include "sbog/sample/subspace.h"

namespace sbog {
namespace preflight_test {

using testing_support::run_class;
using testing_support::small_options;
using testing_support::sphere_bank;
using testing_support::unit;

TEST(Preflight, the_radius_bounds_the_chi_quantile) {
  constexpr std::uint32_t kDraws = 20000;
  for (const std::size_t dim : {1u, 2u, 4u, 64u, 768u}) {
    for (const double tail : {0.1, 0.01, 1e-3}) {
      const double radius = noise_radius(dim, tail);
      std::uint32_t above = 0;
      for (std::uint32_t j = 0; j < kDraws; ++j) {
        above += draw_chi({3, 1, 0, 0}, j, static_cast<double>(dim)) > radius;
      }
      // Three standard deviations of the count.
      EXPECT_LE(above, kDraws * tail + 3.0 * std::sqrt(kDraws * tail)) << dim;
      // Not absurdly far out: the bound of the mean plus a few deviations.
      EXPECT_LE(radius, std::sqrt(static_cast<double>(dim)) +
                            std::sqrt(-2.0 * std::log(tail)) + 1e-12);
    }
  }
}

TEST(Preflight, a_threshold_nobody_reaches_is_declared_infeasible) {
  const Matrix<float> bank = sphere_bank<float>(100, 4, 1);
  for (const bool splitting : {false, true}) {
    SamplerOptions options = small_options();
    options.sigma = 0.01;
    options.margin = 5.0;
    options.splitting = splitting;
    const auto prepared =
        prepare_class<float>({bank.view(), {}, {}, 0}, options);
    EXPECT_TRUE(prepared->plan.is_infeasible);
    EXPECT_EQ(prepared->plan.infeasible_by, Constraint::kEnergy);
    EXPECT_LT(prepared->plan.highest_reachable, prepared->plan.threshold);
  }
}

TEST(Preflight, a_semantic_floor_nobody_reaches_is_declared_infeasible) {
  const Matrix<float> bank = sphere_bank<float>(100, 4, 1);
  const std::vector<double> t = unit({0.0, 0.0, 0.0, 1.0});
  SamplerOptions options = small_options();
  options.sigma = 0.01;
  options.semantic_floor = 0.95;
  const auto prepared = prepare_class<float>({bank.view(), t, {}, 0}, options);
  EXPECT_TRUE(prepared->plan.is_infeasible);
  EXPECT_EQ(prepared->plan.infeasible_by, Constraint::kSemantic);
}

TEST(Preflight, the_bound_lies_above_every_energy_that_is_sampled) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 1);
  for (const GroundCost cost : {GroundCost::kCosine, GroundCost::kEuclidean}) {
    SamplerOptions options = small_options();
    options.energy.cost = cost;
    if (!is_cosine(cost)) options.projection = Projection::kIdentity;
    options.count = 50;
    const auto prepared =
        prepare_class<double>({bank.view(), {}, {}, 0}, options);
    EXPECT_FALSE(prepared->plan.is_infeasible);
    for (const AnchorTally& tally : run_class(*prepared, 50).tallies) {
      EXPECT_LE(tally.highest_score, prepared->plan.highest_reachable);
    }
  }
}

TEST(Preflight, a_box_away_from_the_bank_is_not_infeasible) {
  Matrix<double> bank(20, 1);
  for (std::size_t i = 0; i < 20; ++i) bank(i, 0) = 0.01 * i;
  SamplerOptions options = small_options();
  options.energy.cost = GroundCost::kEuclidean;
  options.projection = Projection::kBox;
  options.box_low = {10.0};
  options.box_high = {11.0};
  options.seed_floor = -2.0;
  options.margin = 5.0;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_FALSE(prepared->plan.is_infeasible);
  EXPECT_EQ(run_class(*prepared, 3).accepted(), 3u);
}

TEST(Preflight, says_nothing_for_rules_without_an_energy_test) {
  const Matrix<float> bank = sphere_bank<float>(100, 4, 1);
  for (const Rule rule :
       {Rule::kRandom, Rule::kNoThreshold, Rule::kVos, Rule::kBood}) {
    SamplerOptions options = small_options();
    options.rule = rule;
    options.margin = 5.0;
    const auto prepared =
        prepare_class<float>({bank.view(), {}, {}, 0}, apply_rule(options));
    EXPECT_FALSE(prepared->plan.is_infeasible) << to_string(rule);
  }
}

}  // namespace preflight_test
}  // namespace sbog
