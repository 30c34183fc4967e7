// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/edit_objective.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "search_support.h"

namespace sbog::series {
namespace edit_objective_test {

using namespace testing_support;

TEST(EditObjective, without_edits_the_residual_is_one) {
  SearchBench bench;
  const EditTarget target = bench.target_of({0.5, 0.5, 0.5, 0.5});
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  const EditScore score = objective.evaluate({});
  EXPECT_NEAR(score.residual, 1.0, 1e-12);
  EXPECT_NEAR(score.total, 1.0, 1e-12);
  EXPECT_EQ(score.strength, 0.0);
  EXPECT_EQ(score.point, bench.point);
}

TEST(EditObjective, is_the_sum_of_its_parts) {
  SearchBench bench;
  const Edit edit = typical_edit(EditKind::kLevel, SearchBench::kWidth);
  EditTarget target = bench.target_of({0.5, 0.5, 0.5, 0.5});
  const double energy = bench.energy.value(bench.point_of({edit}));
  target.least_energy = energy + 0.01;
  bench.profiles[0].largest_step = 0.2;
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  const EditScore score = objective.evaluate(std::vector<Edit>{edit});
  EXPECT_NEAR(score.energy, energy, 1e-12);
  EXPECT_NEAR(score.strength, 0.8, 1e-12);
  const double limit = std::max(0.221, largest_step(bench.source.row(0)));
  EXPECT_EQ(objective.step_limit(0), limit);
  EXPECT_NEAR(
      score.excess,
      std::max(0.0, largest_step(objective.window().row(0)) / limit - 1.0),
      1e-12);
  EXPECT_NEAR(score.total,
              score.residual + 0.02 * 0.8 + 0.01 / 0.02 + score.excess, 1e-9);
}

TEST(EditObjective, gradients_match_central_differences) {
  SearchBench bench;
  bench.profiles[1].largest_step = 0.01;  // too slow for what is asked
  std::vector<Edit> edits = {
      typical_edit(EditKind::kOscillation, SearchBench::kWidth),
      typical_edit(EditKind::kNoise, SearchBench::kWidth)};
  edits[0].channel = 1;
  edits[0].amount = 1.9;
  edits[0].period = 6.1;
  edits[1].channel = 2;
  // Ramps at their bound do not move with the amount.
  bench.profiles[1].slew = 100.0;
  EditTarget target = bench.target_of({0.5, 0.5, 0.5, 0.5});
  target.least_energy = 2.0;
  EditObjective objective(bench.source, bench.profiles, target, bench.embedder,
                          bench.energy);
  std::vector<EditGradient> gradients;
  const EditScore score = objective.evaluate(edits, &gradients);
  EXPECT_GT(score.excess, 0.0);
  EXPECT_GT(target.least_energy, score.energy);
  const double step = 1e-3;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto slope = [&](double Edit::*member) {
      std::vector<Edit> up = edits;
      std::vector<Edit> down = edits;
      up[k].*member += step;
      down[k].*member -= step;
      return (objective.evaluate(up).total - objective.evaluate(down).total) /
             (2.0 * step);
    };
    // Windows are rounded to float on their way to the encoder.
    const double scale = 1.0 + std::abs(gradients[k].amount);
    EXPECT_NEAR(gradients[k].amount, slope(&Edit::amount), 2e-3 * scale);
    EXPECT_NEAR(gradients[k].start, slope(&Edit::start), 2e-3 * scale);
    EXPECT_NEAR(gradients[k].end, slope(&Edit::end), 2e-3 * scale);
    EXPECT_NEAR(gradients[k].period, slope(&Edit::period), 2e-3 * scale);
    EXPECT_NEAR(gradients[k].phase, slope(&Edit::phase), 2e-3 * scale);
  }
}

TEST(EditObjective, the_sources_own_point_is_no_target) {
  SearchBench bench;
  const EditTarget target = bench.target_of(bench.point);
  EXPECT_THROW(EditObjective(bench.source, bench.profiles, target,
                             bench.embedder, bench.energy),
               InvalidArgument);
}

}  // namespace edit_objective_test
}  // namespace sbog::series
