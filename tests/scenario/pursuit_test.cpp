// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/pursuit.h"

#include <gtest/gtest.h>

#include <set>

#include "search_support.h"

namespace sbog::series {
namespace pursuit_test {

using namespace testing_support;

PursuitResult pursue(SearchBench& bench, const EditTarget& target,
                     const PursuitOptions& options = {}) {
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  const Screen first = screen_edits(objective.window(), bench.profiles,
                                    bench.library, bench.embedder);
  return pursue_target(objective, bench.library, first, -1.0, options);
}

TEST(Pursuit, recovers_a_planted_edit_of_a_pooled_encoder) {
  SearchBench bench(true, true);
  for (std::size_t channel = 0; channel < SearchBench::kChannels; ++channel) {
    Edit planted = typical_edit(EditKind::kLevel, SearchBench::kWidth);
    planted.channel = channel;
    planted.amount = channel == 1 ? -0.8 : 0.8;
    planted.start = -5.0;
    planted.end = SearchBench::kWidth + 5.0;
    const PursuitResult found =
        pursue(bench, bench.target_of(bench.point_of({planted})));
    ASSERT_EQ(found.best.edits.size(), 1u);
    EXPECT_LT(std::sqrt(found.best.score.residual), 0.05);
    EXPECT_EQ(found.best.edits[0].channel, channel);
    // A pooled linear map cannot tell a level from a slow drift.
    EXPECT_TRUE(found.best.edits[0].kind == EditKind::kLevel ||
                found.best.edits[0].kind == EditKind::kTrend);
    if (found.best.edits[0].kind == EditKind::kLevel) {
      EXPECT_NEAR(found.best.edits[0].amount / planted.amount, 1.0, 0.05);
    }
  }
}

TEST(Pursuit, takes_another_slot_only_where_it_is_needed) {
  SearchBench bench;
  Edit first = typical_edit(EditKind::kLevel, SearchBench::kWidth);
  first.amount = 2.0;
  Edit second = first;
  second.channel = 1;
  second.amount = -2.0;
  const EditTarget target = bench.target_of(bench.point_of({first, second}));
  PursuitOptions options;
  options.slots = 1;
  const PursuitResult one = pursue(bench, target, options);
  EXPECT_EQ(one.best.edits.size(), 1u);
  options.slots = 3;
  const PursuitResult more = pursue(bench, target, options);
  EXPECT_LE(more.best.score.residual, one.best.score.residual + 0.05);
  EXPECT_LE(more.best.score.residual, 0.09 + 0.05);
  std::set<std::size_t> channels;
  for (const Edit& edit : more.best.edits) channels.insert(edit.channel);
  EXPECT_EQ(channels.size(), more.best.edits.size());
  EXPECT_LE(more.others.size(), 5u);
}

TEST(Pursuit, gives_no_edit_when_nothing_helps) {
  SearchBench bench;
  const EditTarget target = bench.target_of({0.5, 0.5, 0.5, 0.5});
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  Screen empty;
  empty.point = bench.point;
  empty.moves = Matrix<double>(0, 4);
  const PursuitResult found =
      pursue_target(objective, bench.library, empty, -1.0, {});
  EXPECT_TRUE(found.best.edits.empty());
  EXPECT_NEAR(found.best.score.residual, 1.0, 1e-12);
}

TEST(Pursuit, dropping_an_edit_keeps_the_energy) {
  SearchBench bench;
  const EditTarget target = bench.target_of({0.5, 0.5, 0.5, 0.5});
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  const Screen first = screen_edits(objective.window(), bench.profiles,
                                    bench.library, bench.embedder);
  // No list reaches this energy, so nothing may be dropped.
  const PursuitResult kept =
      pursue_target(objective, bench.library, first, 1e9, {});
  const PursuitResult free =
      pursue_target(objective, bench.library, first, -1e9, {});
  EXPECT_GE(kept.best.edits.size(), free.best.edits.size());
  EXPECT_GE(kept.best.edits.size(), 1u);
}

}  // namespace pursuit_test
}  // namespace sbog::series
