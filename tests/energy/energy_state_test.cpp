// SPDX-License-Identifier: Apache-2.0
// The tree of blocks: any cut into ranges gives the same bits.
#include "sbog/energy/energy_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "energy/support.h"
#include "oracle/energy_oracle.h"

namespace sbog {
namespace energy_state_test {

using testing::HasSubstr;
using testing_support::bits_of;
using testing_support::invalid_argument_of;

constexpr std::size_t kQueries = 11;

// A state over the blocks [first, end) with arbitrary contents of each block.
EnergyState state_over(std::size_t first, std::size_t end,
                       std::vector<StateNode> spare = {}) {
  EnergyState state(kQueries, first, std::move(spare));
  for (std::size_t block = first; block < end; ++block) {
    StateNode node = state.next_block();
    const auto values = oracle::normal_matrix<double>(3, kQueries, block + 1);
    for (std::size_t q = 0; q < kQueries; ++q) {
      node.max[q] = 5.0 * values(0, q);
      node.sum[q] = 1.0 + std::abs(values(1, q));
      node.mass[q] = std::abs(values(2, q));
    }
    state.append(std::move(node));
  }
  return state;
}

std::vector<double> flattened(const EnergyState& state) {
  std::vector<double> values;
  for (const LogSumExp& one : state.fold()) {
    values.insert(values.end(), {one.max, one.sum, one.mass});
  }
  return values;
}

TEST(EnergyState, holds_the_fewest_complete_nodes) {
  const EnergyState state = state_over(0, 13);
  std::vector<std::pair<std::size_t, unsigned>> nodes;
  for (const StateNode& node : state.nodes()) {
    nodes.emplace_back(node.first_block, node.level);
  }
  EXPECT_EQ(nodes, (std::vector<std::pair<std::size_t, unsigned>>{
                       {0, 3}, {8, 2}, {12, 0}}));
  EXPECT_EQ(state.first_block(), 0u);
  EXPECT_EQ(state.end_block(), 13u);
  EXPECT_EQ(state_over(3, 9).nodes().size(), 3u);  // 3 | 4..7 | 8
}

TEST(EnergyState, an_empty_state_folds_to_neutral_elements) {
  const EnergyState state(2, 7);
  EXPECT_EQ(state.end_block(), 7u);
  for (const LogSumExp& one : state.fold()) {
    EXPECT_TRUE(one.is_empty());
    EXPECT_EQ(one.mass, 0.0);
  }
}

TEST(EnergyState, memory_of_another_state_changes_no_bit) {
  const auto expected = bits_of(flattened(state_over(0, 13)));
  for (const std::size_t queries : {kQueries - 6, kQueries, kQueries + 6}) {
    EnergyState other(queries, 0);
    for (int block = 0; block < 8; ++block) other.append(other.next_block());
    std::vector<StateNode> spare = other.take_spare();
    EXPECT_EQ(spare.size(), 3u);  // four nodes at once, and one is left
    EXPECT_TRUE(other.take_spare().empty());
    const EnergyState state = state_over(0, 13, std::move(spare));
    EXPECT_EQ(bits_of(flattened(state)), expected) << queries;
  }
}

RC_GTEST_PROP(EnergyState, any_cut_gives_the_same_bits, ()) {
  const auto blocks = *rc::gen::inRange<std::size_t>(1, 70);
  const auto cuts = *rc::gen::container<std::set<std::size_t>>(
      rc::gen::inRange<std::size_t>(1, blocks + 1));
  EnergyState pieces(kQueries, 0);
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    pieces.append(state_over(from, cut));
    from = cut;
  }
  pieces.append(state_over(from, blocks));
  RC_ASSERT(bits_of(flattened(pieces)) ==
            bits_of(flattened(state_over(0, blocks))));
}

RC_GTEST_PROP(EnergyState, fold_is_the_merge_of_its_blocks, ()) {
  const auto first = *rc::gen::inRange<std::size_t>(0, 20);
  const auto blocks = *rc::gen::inRange<std::size_t>(1, 40);
  const auto folded = state_over(first, first + blocks).fold();
  std::vector<LogSumExp> expected(kQueries);
  for (std::size_t b = first; b < first + blocks; ++b) {
    const auto one = state_over(b, b + 1).fold();
    for (std::size_t q = 0; q < kQueries; ++q) expected[q].merge(one[q]);
  }
  for (std::size_t q = 0; q < kQueries; ++q) {
    RC_ASSERT(std::abs(folded[q].log_support() - expected[q].log_support()) <=
              1e-13);
    RC_ASSERT(std::abs(folded[q].mass - expected[q].mass) <= 1e-12);
  }
}

TEST(EnergyState, refuses_what_does_not_continue_it) {
  EnergyState state = state_over(0, 2);
  EXPECT_THAT(invalid_argument_of([&] { state.append(state_over(3, 4)); }),
              HasSubstr("blocks from 3 do not continue a state that ends at "
                        "block 2"));
  EXPECT_THROW(state.append(EnergyState(kQueries + 1, 2)), InvalidArgument);
  StateNode node = EnergyState(kQueries, 5).next_block();
  EXPECT_THAT(invalid_argument_of([&] { state.append(node); }),
              HasSubstr("a node at block 5"));
  node.first_block = 2;
  node.mass.pop_back();
  EXPECT_THROW(state.append(node), InvalidArgument);
}

}  // namespace energy_state_test
}  // namespace sbog
