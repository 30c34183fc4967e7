// SPDX-License-Identifier: Apache-2.0
// How costs become logits: form, range, packing and blocks.
#include "sbog/energy/detail/prepared_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "energy/support.h"
#include "oracle/energy_oracle.h"

namespace sbog::detail {
namespace prepared_reference_test {

using oracle::EnergyProblem;
using oracle::kAllCosts;

template <typename T>
PreparedReference<T> prepare(const EnergyProblem<T>& problem) {
  Matrix<double> factor;
  if (is_mahalanobis(problem.cost)) factor = factor_metric(problem.metric);
  return {problem.measure(), problem.cost, problem.epsilon, factor};
}

// Every logit is log2 nu - d log2(e) / epsilon + offset.
template <typename T>
void expect_logits(const EnergyProblem<T>& problem) {
  const PreparedReference<T> reference = prepare(problem);
  BlockScratch<T> scratch;
  const std::size_t width = lane_count<T>();
  Matrix<T> packed(reference.tile_dim(), width);
  ASSERT_EQ(reference.pack_queries(
                std::as_const(problem.queries).view().subrows(0, 1), width,
                packed.data()),
            1u);
  const auto costs =
      oracle::costs_of<T>(problem, oracle::to_real(problem.queries.row(0)));
  for (std::size_t b = 0; b < reference.block_count(); ++b) {
    const AtomBlock<T> block = reference.build_block(b, scratch);
    std::vector<T> logits(kBlockAtoms * width);
    block_logits(block, {packed.data(), width, reference.tile_dim(), {}},
                 reference.tile_options().form, logits.data());
    for (std::size_t i = 0; i < block.count; ++i) {
      const std::size_t atom = b * kBlockAtoms + i;
      const T found = logits[i * width];
      if (problem.weight(atom) == 0.0) {
        ASSERT_LT(found, T(kAbsentLogit / 2));
        continue;
      }
      const auto expected = static_cast<double>(
          std::log2(oracle::Real(problem.weight(atom))) -
          costs[atom] * std::numbers::log2e_v<oracle::Real> / problem.epsilon);
      const double unit = std::numeric_limits<T>::epsilon();
      const double size = 10 + 4 * std::numbers::log2e / problem.epsilon;
      ASSERT_NEAR(static_cast<double>(found) - reference.offset(), expected,
                  4 * unit * (size + std::abs(expected)))
          << to_string(problem.cost) << ", atom " << atom;
    }
  }
}

TEST(PreparedReference, logits_hold_weight_cost_and_temperature) {
  for (const GroundCost cost : kAllCosts) {
    for (const std::size_t dim : {1, 4, 6, 8, 9, 30}) {
      for (const double epsilon : {1.0, 0.05, 1e-3, 1e-4}) {
        for (const bool is_weighted : {false, true}) {
          const oracle::Shape shape{.n = 300,
                                    .dim = dim,
                                    .queries = 1,
                                    .epsilon = epsilon,
                                    .is_weighted = is_weighted};
          expect_logits(oracle::random_problem<float>(cost, shape));
          expect_logits(oracle::random_problem<double>(cost, shape));
          if (HasFailure()) return;
        }
      }
    }
  }
}

template <typename T>
TileOptions options_of(GroundCost cost, double epsilon, bool is_weighted) {
  const auto problem = oracle::random_problem<T>(
      cost, {.n = 10, .epsilon = epsilon, .is_weighted = is_weighted});
  return prepare(problem).tile_options();
}

TEST(PreparedReference, a_fixed_range_is_for_uniform_cosine_at_mild_epsilon) {
  const auto cosine = GroundCost::kCosine;
  EXPECT_TRUE(options_of<float>(cosine, 0.05, false).has_fixed_range);
  EXPECT_FALSE(options_of<float>(cosine, 0.05, true).has_fixed_range);
  EXPECT_FALSE(options_of<float>(cosine, 0.01, false).has_fixed_range);
  EXPECT_TRUE(options_of<double>(cosine, 0.01, false).has_fixed_range);
  EXPECT_FALSE(options_of<double>(cosine, 1e-3, false).has_fixed_range);
  EXPECT_FALSE(
      options_of<double>(GroundCost::kEuclidean, 0.05, false).has_fixed_range);
}

TEST(PreparedReference, a_small_epsilon_takes_differences_for_dots) {
  const auto form = [](auto zero, GroundCost cost, double epsilon) {
    return options_of<decltype(zero)>(cost, epsilon, false).form;
  };
  EXPECT_EQ(form(0.0f, GroundCost::kCosine, 2e-3), TileForm::kDot);
  EXPECT_EQ(form(0.0f, GroundCost::kCosine, 1e-3),
            TileForm::kSquaredDifference);
  EXPECT_EQ(form(0.0, GroundCost::kUnitCosine, 1e-5), TileForm::kDot);
  EXPECT_EQ(form(0.0, GroundCost::kUnitCosine, 1e-12),
            TileForm::kSquaredDifference);
  EXPECT_EQ(form(0.0, GroundCost::kEuclidean, 1.0), TileForm::kDifference);
  EXPECT_EQ(form(0.0, GroundCost::kMahalanobis, 1.0), TileForm::kDifference);
  EXPECT_EQ(form(0.0, GroundCost::kSquaredMahalanobis, 1.0),
            TileForm::kSquaredDifference);
}

TEST(PreparedReference, few_dimensions_are_padded_for_the_direct_kernel) {
  for (const auto& [dim, padded] :
       {std::pair{1, 4}, {4, 4}, {5, 8}, {8, 8}, {9, 9}, {100, 100}}) {
    const auto problem = oracle::random_problem<float>(
        GroundCost::kCosine, {.n = 3, .dim = static_cast<std::size_t>(dim)});
    EXPECT_EQ(prepare(problem).tile_dim(), static_cast<std::size_t>(padded));
  }
}

TEST(PreparedReference, a_block_knows_its_mass_without_one_atom) {
  auto problem = oracle::random_problem<double>(
      GroundCost::kCosine, {.n = 300, .is_weighted = true});
  const PreparedReference<double> reference = prepare(problem);
  EXPECT_EQ(reference.block_count(), 2u);
  double mass = 0.0;
  double without = 0.0;
  for (std::size_t i = 256; i < 300; ++i) {
    mass += problem.weights[i];
    if (i != 280) without += problem.weights[i];
  }
  EXPECT_DOUBLE_EQ(reference.block_mass(1, kNoAtom), mass);
  EXPECT_DOUBLE_EQ(reference.block_mass(1, 280), without);
  EXPECT_DOUBLE_EQ(reference.block_mass(1, 5), mass);
}

TEST(PreparedReference, padding_is_absent_and_readable) {
  const auto problem = oracle::random_problem<float>(GroundCost::kEuclidean,
                                                     {.n = 3, .dim = 12});
  BlockScratch<float> scratch;
  const auto reference = prepare(problem);
  const AtomBlock<float> block = reference.build_block(0, scratch);
  EXPECT_EQ(block.count, 3u);
  for (std::size_t i = 3; i < kBlockAtoms; ++i) {
    EXPECT_EQ(block.bias[i], float(kAbsentLogit));
    EXPECT_EQ(block.rows[i], block.rows[2]);
  }
}

}  // namespace prepared_reference_test
}  // namespace sbog::detail
