// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/refine.h"

#include <gtest/gtest.h>

#include "search_support.h"

namespace sbog::series {
namespace refine_test {

using namespace testing_support;

TEST(Refine, finds_the_strength_and_place_of_a_planted_edit) {
  SearchBench bench;
  Edit planted = typical_edit(EditKind::kLevel, SearchBench::kWidth);
  planted.amount = 1.4;
  const EditTarget target = bench.target_of(bench.point_of({planted}));
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  Edit start = planted;
  start.amount = 0.7;
  start.start = 20.0;
  start.end = 100.0;
  const double before = objective.evaluate(std::vector<Edit>{start}).residual;
  const ScoredEdits found = refine_edits(objective, {start}, {120, 0.08});
  EXPECT_GT(before, 0.01);
  EXPECT_LT(found.score.residual, 0.001);
}

TEST(Refine, returns_the_best_seen_within_the_ranges) {
  SearchBench bench;
  const EditTarget target = bench.target_of({0.5, 0.5, 0.5, 0.5});
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  for (const EditKind kind : kEditKinds) {
    const Edit start = typical_edit(kind, SearchBench::kWidth);
    // A rate that overshoots: the last step is seldom the best.
    const ScoredEdits found = refine_edits(objective, {start}, {15, 1.0});
    const double first = objective.evaluate(std::vector<Edit>{start}).total;
    EXPECT_LE(found.score.total, first) << to_string(kind);
    EXPECT_NEAR(objective.evaluate(found.edits).total, found.score.total,
                1e-12);
    Edit moved = found.edits[0];
    if (found.score.total < first) {
      project_edit(bench.profiles[0], SearchBench::kWidth, 1.0, moved);
      EXPECT_EQ(moved.amount, found.edits[0].amount);
      EXPECT_EQ(moved.start, found.edits[0].start);
      EXPECT_EQ(moved.end, found.edits[0].end);
    }
  }
}

TEST(Refine, without_steps_it_only_scores) {
  SearchBench bench;
  const EditTarget target = bench.target_of({0.5, 0.5, 0.5, 0.5});
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  const Edit start = typical_edit(EditKind::kTrend, SearchBench::kWidth);
  const ScoredEdits found = refine_edits(objective, {start}, {0, 0.08});
  EXPECT_EQ(found.edits[0].amount, start.amount);
}

}  // namespace refine_test
}  // namespace sbog::series
