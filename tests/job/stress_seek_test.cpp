// SPDX-License-Identifier: Apache-2.0
// Seeking in the feasible set of a run.
#include "sbog/job/stress_seek.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/stress_world.h"
#include "sbog/base/errors.h"
#include "sbog/data/csv.h"

namespace sbog::job {
namespace stress_seek_test {

using testing_support::make_points_run;
using testing_support::stress_options;
using testing_support::TemporaryFolder;

// Alarmed by everything but what points along the second axis.
Matrix<double> score_by_axis(const StressBatch& batch) {
  const auto points = to_matrix<double>(batch.values);
  Matrix<double> scores(points.rows(), 1);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    scores(i, 0) = 1.0 - points.view()(i, 1);
  }
  return scores;
}

TEST(StressSeek, points_that_hurt_more_are_found_within_the_budget) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_points_run(run_folder);
  std::size_t asked = 0;
  StressOptions options =
      stress_options(run_folder, [&](const StressBatch& batch) {
        asked += batch.values.shape()[0];
        return score_by_axis(batch);
      });
  options.seek.seek = true;
  options.seek.budget = 240;
  options.threshold = 0.2;
  Events events;
  const StressResult result = run(options, events);
  ASSERT_TRUE(result.seek.has_value());
  const StressSeek& seek = *result.seek;
  EXPECT_LE(seek.result.calls, 240u);
  EXPECT_EQ(asked, result.facts.size() +
                       result.verdict.outcomes.controls.size() +
                       seek.result.calls);
  const auto& rounds = seek.result.rounds;
  ASSERT_GE(rounds.size(), 2u);
  EXPECT_GT(rounds[1].mean_loss, rounds[0].mean_loss);
  EXPECT_GT(seek.failures * seek.result.drawn,
            seek.failures_before * seek.result.points.rows());
  // The files say what was found.
  const auto points = to_matrix<double>(read_npy(seek.file));
  CsvOptions csv;
  csv.columns = {"loss", "failure", "class"};
  const CsvTable table = read_csv(run_folder + "/sought.csv", csv);
  ASSERT_EQ(points.rows(), table.values.rows());
  std::size_t failures = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_NEAR(table.values(i, 0), points.view()(i, 1) - 1.0, 1e-6);
    failures += table.values(i, 1) == 1.0 ? 1 : 0;
  }
  EXPECT_EQ(failures, seek.failures);
  EXPECT_TRUE(to_json(result).contains("seek"));
}

TEST(StressSeek, the_same_seed_finds_the_same_points) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  StressOptions options = stress_options(folder.file("run"), score_by_axis);
  options.seek.seek = true;
  options.seek.budget = 120;
  options.threshold = 0.2;
  Events events;
  const auto first = run(options, events).seek->result.losses;
  EXPECT_EQ(run(options, events).seek->result.losses, first);
  options.seed = 1;
  EXPECT_NE(run(options, events).seek->result.losses, first);
}

TEST(StressSeek, options_that_do_not_go_together_are_refused) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  const FinishedRun run(folder.file("run"));
  StressOptions options;
  check_seek(options, run);
  options.seek.seek = true;
  check_seek(options, run);
  options.predictions = "p.npy";
  EXPECT_THROW(check_seek(options, run), InvalidArgument);
  options.predictions.clear();
  options.failure = "other";
  EXPECT_THROW(check_seek(options, run), InvalidArgument);
  options.failure = "accepted";
  options.seek.budget = 3;
  EXPECT_THROW(check_seek(options, run), InvalidArgument);
  options.seek.budget = 30;
  options.seek.radius = -1.0;
  EXPECT_THROW(check_seek(options, run), InvalidArgument);
}

}  // namespace stress_seek_test
}  // namespace sbog::job
