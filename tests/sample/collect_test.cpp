// SPDX-License-Identifier: Apache-2.0
// Pools against a plain list of all feasible proposals.
#include "sbog/sample/collect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "sample/support.h"
#include "sbog/base/thread_pool.h"
#include "sbog/sample/round.h"
#include "sbog/sample/sampler.h"

namespace sbog {
namespace collect_test {

using testing_support::expect_same_outputs;
using testing_support::expect_same_tallies;
using testing_support::invalid_argument_of;
using testing_support::small_options;
using testing_support::sphere_bank;

// (-score, round, anchor, proposal) of every feasible proposal, best first.
using Line = std::tuple<double, std::uint32_t, std::uint32_t, std::uint32_t>;
std::vector<Line> plain_pool(const PreparedClass<double>& prepared,
                             std::size_t rounds) {
  std::vector<Line> lines;
  for (std::uint32_t r = 0; r < rounds; ++r) {
    for (std::uint32_t a = 0; a < prepared.anchors.anchors.size(); ++a) {
      std::vector<Turn> turns(1);
      turns[0].anchor = a;
      turns[0].key = {prepared.options.seed, prepared.problem.cls, r, a};
      Matrix<double> points;
      play_turns(prepared, prepared.options.proposal_count, turns, points);
      for (std::uint32_t j = 0; j < turns[0].scores.size(); ++j) {
        if (turns[0].scores[j] >= prepared.plan.threshold) {
          lines.emplace_back(-turns[0].scores[j], r, a, j);
        }
      }
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(Collect, keeps_the_highest_of_all_feasible_proposals) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  const std::size_t in_one = plain_pool(*prepared, 1).size();
  ASSERT_GT(in_one, 10u);
  for (const std::size_t count : {std::size_t{5}, in_one, in_one + 1}) {
    const auto pool = collect_pool(*prepared, count);
    ASSERT_TRUE(pool.has_value());
    EXPECT_EQ(pool->rounds, count <= in_one ? 1u : 2u);
    const std::vector<Line> expected = plain_pool(*prepared, pool->rounds);
    ASSERT_EQ(pool->entries.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const PoolEntry& entry = pool->entries[i];
      EXPECT_EQ(Line(-entry.rank, entry.round, entry.anchor, entry.proposal),
                expected[i]);
    }
  }
}

TEST(Collect, ends_after_the_last_round_with_what_there_is) {
  const Matrix<double> bank = sphere_bank<double>(100, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  const auto pool = collect_pool(*prepared, 1000000);
  EXPECT_EQ(pool->rounds, 4u);
  EXPECT_EQ(pool->entries.size(), plain_pool(*prepared, 4).size());
  EXPECT_FALSE(
      output_of_entry(*prepared, *pool, pool->entries.size()).is_accepted);
}

TEST(Collect, outputs_are_the_proposals_and_pass_every_test) {
  const Matrix<double> bank = sphere_bank<double>(100, 40, 3);
  SamplerOptions options = small_options();
  options.local = 6;
  for (const ProposalMode mode :
       {ProposalMode::kAmbient, ProposalMode::kSubspace}) {
    options.proposal_mode = mode;
    const auto prepared =
        prepare_class<double>({bank.view(), {}, {}, 0}, options);
    const auto pool = collect_pool(*prepared, 30);
    ASSERT_EQ(pool->entries.size(), 30u);
    for (std::size_t k = 0; k < 30; ++k) {
      const Output<double> output = output_of_entry(*prepared, *pool, k);
      EXPECT_TRUE(output.is_accepted);
      EXPECT_NEAR(output.energy, pool->entries[k].rank, 1e-5);
      EXPECT_GE(output.energy, prepared->plan.threshold);
      EXPECT_EQ(output.k, k);
      EXPECT_EQ(output.anchor_row,
                prepared->anchors.anchors[pool->entries[k].anchor]);
    }
  }
}

TEST(Collect, a_sampler_gives_the_same_for_any_threads_and_pieces) {
  const Matrix<float> bank = sphere_bank<float>(150, 4, 3);
  SamplerOptions options = small_options();
  options.collect_all = true;
  options.splitting = true;  // which collecting switches off
  options.count = 50;
  const Sampler<float> sampler({bank.view(), {}, {}, {}}, options);
  const auto run = [&](std::size_t threads, std::size_t step) {
    ThreadPool pool(threads);
    const Context context{&pool, nullptr};
    const ClassRun<float> prepared = sampler.prepare(0, context);
    testing_support::Finished<float> result;
    for (std::size_t first = 0; first < 50; first += step) {
      auto range = prepared.sample(first, std::min(step, 50 - first), context);
      EXPECT_EQ(range.status, SolveStatus::kDone);
      result.add(std::move(range));
    }
    return result;
  };
  const auto once = run(1, 50);
  EXPECT_EQ(once.accepted(), 50u);
  for (std::size_t i = 1; i < 50; ++i) {
    EXPECT_LE(once.outputs[i].energy, once.outputs[i - 1].energy + 1e-5);
  }
  const auto pieces = run(3, 7);
  expect_same_outputs(once.outputs, pieces.outputs);
  expect_same_tallies(once.tallies, pieces.tallies);
}

TEST(Collect, needs_a_rule_with_tests) {
  SamplerOptions options = small_options();
  options.collect_all = true;
  options.rule = Rule::kVos;
  EXPECT_NE(invalid_argument_of([&] {
              check_sampler_options(options, 4);
            }).find("collect-all"),
            std::string::npos);
}

}  // namespace collect_test
}  // namespace sbog
