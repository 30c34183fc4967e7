// SPDX-License-Identifier: Apache-2.0
// Packing of queries in groups and the states of one block.
#include "sbog/energy/detail/chunk_evaluator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "energy/support.h"
#include "oracle/energy_oracle.h"

namespace sbog::detail {
namespace chunk_evaluator_test {

using testing_support::simd_targets;
using testing_support::UseTarget;

template <typename T>
StateNode node_of(std::size_t count) {
  StateNode node;
  node.max.resize(count);
  node.sum.resize(count);
  node.mass.resize(count);
  return node;
}

// The oracle's energy of row `q` against one block of the bank.
template <typename T>
double block_energy(const oracle::EnergyProblem<T>& problem, std::size_t q,
                    std::size_t block, std::size_t self) {
  const auto costs =
      oracle::costs_of<T>(problem, oracle::to_real(problem.queries.row(q)));
  std::vector<double> weights(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (i / kBlockAtoms == block) weights[i] = problem.weight(i);
  }
  return static_cast<double>(
      oracle::energy_of_costs(costs, weights, problem.epsilon, self));
}

template <typename T>
void expect_block_states(bool is_weighted) {
  const auto problem = oracle::random_problem<T>(GroundCost::kCosine,
                                                 {.n = 600,
                                                  .dim = 10,
                                                  .queries = 130,
                                                  .epsilon = 0.05,
                                                  .is_weighted = is_weighted});
  const EnergyModel<T> model = problem.model();
  const auto& reference = prepared_of(model);
  std::vector<std::size_t> self(130, kNoAtom);
  self[0] = 0;
  self[17] = 255;
  self[18] = 256;
  self[100] = 599;
  ChunkScratch<T> scratch;
  // A chunk from the middle, after a longer one has used the same memory.
  scratch.queries.pack(reference, problem.queries, 0, 130, {});
  const std::size_t first = 3;
  const std::size_t count = 110;
  scratch.queries.pack(reference, problem.queries, first, count,
                       std::span(self).subspan(first, count));
  EXPECT_EQ(scratch.queries.count(), count);
  for (std::size_t block = 3; block-- > 0;) {
    StateNode node = node_of<T>(count);
    evaluate_block(reference, block, scratch, node);
    for (std::size_t q = 0; q < count; ++q) {
      const LogSumExp state{node.max[q], node.sum[q], node.mass[q]};
      const double expected =
          block_energy(problem, first + q, block, self[first + q]);
      ASSERT_NEAR(state.energy(0.05), expected, sizeof(T) == 4 ? 1e-6 : 1e-13)
          << "query " << q << ", block " << block;
    }
  }
}

TEST(ChunkEvaluator, fills_the_states_of_one_block) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (const bool is_weighted : {false, true}) {
      expect_block_states<float>(is_weighted);
      expect_block_states<double>(is_weighted);
    }
  }
}

TEST(ChunkEvaluator, groups_hold_every_query_once) {
  const auto problem = oracle::random_problem<float>(
      GroundCost::kCosine, {.n = 600, .dim = 5, .queries = 200});
  const EnergyModel<float> model = problem.model();
  for (std::size_t count = 1; count <= 200; count += 13) {
    PackedQueries<float> packed;
    packed.pack(prepared_of(model), problem.queries, 0, count, {});
    std::size_t next = 0;
    for (std::size_t g = 0; g < packed.group_count(); ++g) {
      EXPECT_EQ(packed.group_start(g), next);
      EXPECT_GE(packed.group_size(g), 1u);
      EXPECT_LE(packed.group_size(g), packed.group(g, 0).width);
      EXPECT_EQ(packed.group(g, 0).width % lane_count<float>(), 0u);
      next += packed.group_size(g);
    }
    EXPECT_EQ(next, count);
  }
}

TEST(ChunkEvaluator, exclusions_appear_in_their_block_and_lane_only) {
  const auto problem = oracle::random_problem<double>(
      GroundCost::kCosine, {.n = 600, .dim = 5, .queries = 60});
  const EnergyModel<double> model = problem.model();
  std::vector<std::size_t> self(60, kNoAtom);
  self[50] = 300;
  self[7] = 4;
  PackedQueries<double> packed;
  packed.pack(prepared_of(model), problem.queries, 0, 60, self);
  EXPECT_TRUE(packed.has_self_in(0));
  EXPECT_TRUE(packed.has_self_in(1));
  EXPECT_FALSE(packed.has_self_in(2));
  EXPECT_EQ(packed.self_of(50), 300u);
  EXPECT_EQ(packed.self_of(51), kNoAtom);
  std::size_t found = 0;
  for (std::size_t block = 0; block < 3; ++block) {
    for (std::size_t g = 0; g < packed.group_count(); ++g) {
      for (const Exclusion& gone : packed.group(g, block).exclusions) {
        const std::size_t query = packed.group_start(g) + gone.lane;
        EXPECT_EQ(self[query], block * kBlockAtoms + gone.position);
        ++found;
      }
    }
  }
  EXPECT_EQ(found, 2u);
}

TEST(ChunkEvaluator, the_largest_chunk_is_whole_groups) {
  for (const std::size_t dim : {1, 100, 5000}) {
    const auto problem = oracle::random_problem<float>(GroundCost::kCosine,
                                                       {.n = 2, .dim = dim});
    const EnergyModel<float> model = problem.model();
    const std::size_t chunk = largest_chunk(prepared_of(model));
    EXPECT_GE(chunk, group_width<float>());
    EXPECT_EQ(chunk % group_width<float>(), 0u);
  }
}

}  // namespace chunk_evaluator_test
}  // namespace sbog::detail
