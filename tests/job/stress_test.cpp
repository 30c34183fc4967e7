// SPDX-License-Identifier: Apache-2.0
// The job stress: models that are wrong by construction, gates, files, resuming
// and what it refuses.
#include "sbog/job/stress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "job/recorded_events.h"
#include "job/stress_world.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/job/run_inputs.h"
#include "sbog/job/stress_files.h"

namespace sbog::job {
namespace stress_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::make_edited_run;
using testing_support::make_points_run;
using testing_support::read_bytes;
using testing_support::read_json;
using testing_support::RecordedEvents;
using testing_support::row_maximum;
using testing_support::stress_options;
using testing_support::TemporaryFolder;

const stress::GroupMeasures& first_spot(const StressResult& result) {
  return result.verdict.groups.at(result.verdict.weak.spots.at(0).group);
}

TEST(StressJob, a_detector_that_ignores_channel_3_is_found_first) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_edited_run(run_folder);
  RecordedEvents events;
  const StressResult result =
      run(stress_options(run_folder, row_maximum({0, 1, 2})), events);
  EXPECT_EQ(result.status, Status::kDone);
  EXPECT_EQ(first_spot(result).grouping, "channel");
  EXPECT_EQ(first_spot(result).level, "channel-3");
  EXPECT_EQ(first_spot(result).measures.failures.hits, 36u);
  // Edits begin at row 8 and are large: found at once.
  EXPECT_EQ(result.verdict.overall.median_delay, 0.0);
  const auto json = read_json(run_folder + "/stress.json");
  EXPECT_EQ(json["weak_spots"][0]["group"], "channel-3");
  EXPECT_EQ(json["weak_spots"][0]["clearest"].size(), 3u);
  EXPECT_EQ(json["weak_spots"][0]["clearest"][0]["severity"], "3");
  EXPECT_EQ(json["severities"].size(), 3u);
  EXPECT_EQ(json["task"], "detector");
  EXPECT_THAT(read_bytes(run_folder + "/stress.junit.xml"),
              HasSubstr("name=\"channel channel-3\""));
  EXPECT_FALSE(std::filesystem::exists(run_folder + "/stress"));
}

TEST(StressJob, a_detector_that_loses_one_kind_of_edit_is_found_first) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_edited_run(run_folder);
  // It is blind to the windows of one kind, which it knows by their number.
  std::size_t asked = 0;
  const StressModel all = row_maximum({0, 1, 2, 3});
  Events events;
  const StressResult result =
      run(stress_options(
              run_folder,
              [&](const StressBatch& batch) {
                Matrix<double> scores = all(batch);
                const bool are_cases = asked++ == 0;
                for (std::size_t i = 0; are_cases && i < scores.rows(); ++i) {
                  if (testing_support::made_edit(i).kind != 1) continue;
                  std::fill(scores.row(i).begin(), scores.row(i).end(), 0.0);
                }
                return scores;
              }),
          events);
  EXPECT_EQ(first_spot(result).grouping, "kind");
  EXPECT_EQ(first_spot(result).level, "stuck");
}

TEST(StressJob, a_detector_that_sees_everything_has_no_weak_spot) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_edited_run(run_folder);
  Events events;
  const StressResult result =
      run(stress_options(run_folder, row_maximum({0, 1, 2, 3})), events);
  EXPECT_TRUE(result.verdict.weak.spots.empty());
  EXPECT_EQ(result.verdict.severity_passed, 1);
}

TEST(StressJob, gates_decide_the_status) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_edited_run(run_folder);
  StressOptions options = stress_options(run_folder, row_maximum({0, 1, 2}));
  options.require = {"detection >= 0.9 at severity 3 for channel channel-1",
                     "false-alarms <= 0.02"};
  Events events;
  EXPECT_EQ(run(options, events).status, Status::kDone);
  options.require.push_back("detection >= 0.9 at severity 3");
  const StressResult failed = run(options, events);
  EXPECT_EQ(failed.status, Status::kNotReached);
  EXPECT_THAT(read_bytes(run_folder + "/stress.junit.xml"),
              HasSubstr("failures=\"1\""));
  EXPECT_EQ(to_json(failed)["gates"][2]["passed"], false);
}

TEST(StressJob, a_run_without_severities_is_taken_together) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_edited_run(run_folder, "other");
  RecordedEvents events;
  const StressResult result =
      run(stress_options(run_folder, row_maximum({0})), events);
  EXPECT_TRUE(result.verdict.curve.empty());
  EXPECT_THAT(events.notes, Contains(HasSubstr("no severities")));
}

// Logits by the nearest class mean, but sure of all that it takes for class 2.
Matrix<double> blind_classifier(const StressBatch& batch) {
  const auto points = to_matrix<double>(batch.values);
  const auto bank = to_matrix<double>(load_array("demo:bank"));
  const Matrix<double> means =
      class_means<double>(bank.view(), load_labels("demo:labels"));
  Matrix<double> logits(points.rows(), 3);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto row = points.view().row(i);
    double best = -2.0;
    std::size_t cls = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto mean = means.row(c);
      const double cosine =
          std::inner_product(row.begin(), row.end(), mean.begin(), 0.0);
      if (cosine > best) {
        best = cosine;
        cls = c;
      }
    }
    logits(i, cls) = cls == 2 ? 50.0 : 20.0 * best - 17.0;
  }
  return logits;
}

TEST(StressJob, a_classifier_that_accepts_all_of_class_2_is_found_first) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  GenerateOptions made = testing_support::points_options(run_folder);
  made.sampler.count = 40;
  Events events;
  ASSERT_EQ(run(made, events).status, Status::kDone);
  const StressResult result =
      run(stress_options(run_folder, blind_classifier), events);
  EXPECT_EQ(result.verdict.outcomes.task, stress::Task::kClassifier);
  EXPECT_TRUE(result.verdict.outcomes.knows_classes);
  EXPECT_EQ(first_spot(result).grouping, "class");
  EXPECT_EQ(first_spot(result).level, "2");
  EXPECT_EQ(first_spot(result).measures.failures.value, 1.0);
}

TEST(StressJob, a_stopped_test_goes_on_without_asking_again) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_edited_run(run_folder);
  std::size_t asked = 0;
  const StressModel plain = row_maximum({0, 1});
  StressOptions options =
      stress_options(run_folder, [&](const StressBatch& batch) {
        asked += batch.values.shape()[0];
        return plain(batch);
      });
  options.batch = 10;
  RecordedEvents stopping;
  stopping.stop_after = 4;
  EXPECT_EQ(run(options, stopping).status, Status::kStopped);
  EXPECT_EQ(asked, 40u);
  EXPECT_FALSE(std::filesystem::exists(run_folder + "/stress.json"));
  options.resume = true;
  Events events;
  const StressResult resumed = run(options, events);
  const std::size_t in_all =
      resumed.facts.size() + resumed.verdict.outcomes.controls.size();
  EXPECT_EQ(asked, in_all);
  const std::string json = read_bytes(run_folder + "/stress.json");
  options.resume = false;
  run(options, events);
  EXPECT_EQ(asked, 2 * in_all);
  EXPECT_EQ(read_bytes(run_folder + "/stress.json"), json);
}

TEST(StressJob, a_model_that_fails_leaves_the_cases) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_edited_run(run_folder);
  const std::string windows = read_bytes(run_folder + "/decoded/windows.npy");
  Events events;
  StressOptions options;
  options.input = run_folder;
  options.model = "false {cases} {out}";
  EXPECT_THROW(run(options, events), IoError);
  EXPECT_EQ(read_bytes(run_folder + "/decoded/windows.npy"), windows);
  EXPECT_FALSE(std::filesystem::exists(run_folder + "/stress.json"));
  // The same run is tested afterwards.
  EXPECT_EQ(run(stress_options(run_folder, row_maximum({0})), events).status,
            Status::kDone);
}

TEST(StressJob, data_are_made_into_a_run_first) {
  const TemporaryFolder folder;
  StressOptions options;
  stress_option_table().apply(
      std::vector<Assignment>{{"input", {"demo:bank"}, "INPUT"},
                              {"labels", {"demo:labels"}, "--labels"},
                              {"count", {"12"}, "--count"},
                              {"out", {folder.file("run")}, "--out"}},
      options);
  options.function = blind_classifier;
  Events events;
  const StressResult result = run(options, events);
  EXPECT_EQ(result.run, folder.file("run"));
  EXPECT_GE(result.facts.size(), 30u);
  EXPECT_TRUE(std::filesystem::exists(folder.file("run") + "/outliers.npy"));
}

TEST(StressJob, losses_have_a_curve_of_the_worst_case) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_points_run(run_folder);
  StressOptions options =
      stress_options(run_folder, [](const StressBatch& batch) {
        const auto points = to_matrix<double>(batch.values);
        Matrix<double> losses(points.rows(), 1);
        for (std::size_t i = 0; i < points.rows(); ++i) {
          losses(i, 0) = 1.0 - points.view()(i, 0);
        }
        return losses;
      });
  options.task = "loss";
  options.control_count = 50;
  ThreadPool pool(2);
  Events events;
  const StressResult result = run(options, events, {&pool, nullptr});
  ASSERT_TRUE(result.worst_loss.has_value());
  EXPECT_EQ(result.worst_loss->curve.size(), 5u);
  EXPECT_GT(result.worst_loss->curve.back().value,
            result.worst_loss->curve.front().value);
  EXPECT_EQ(result.verdict.outcomes.controls.size(), 50u);
}

TEST(StressJob, cases_in_memory_have_the_verdict_of_their_run) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_points_run(run_folder);
  StressOptions options = stress_options(run_folder, blind_classifier);
  options.require = {"accepted <= 0.5"};
  options.seek.seek = true;
  options.seek.budget = 120;
  Events events;
  const StressResult of_run = run(options, events);
  ASSERT_TRUE(of_run.seek.has_value());

  const FinishedRun finished(run_folder);
  const GenerateOptions made = options_of_run(finished);
  const RunInputs<float> inputs = load_run_inputs<float>(finished, made);
  const RunOutliers<float> outliers = read_outliers<float>(finished);
  StressMemory memory;
  memory.problem = inputs.problem();
  memory.sampler = sampler_of_run(made, inputs);
  memory.epsilon = epsilon_of_run(finished, memory.sampler);
  memory.cases.points = outliers.points.view();
  memory.cases.facts = of_run.facts;
  memory.cases.bank = inputs.bank.view();
  memory.cases.labels = inputs.labels;
  options.input.clear();
  const StressResult of_memory = run(memory, options, events);

  EXPECT_EQ(of_memory.status, of_run.status);
  EXPECT_EQ(stress_table(of_memory), stress_table(of_run));
  EXPECT_EQ(stress_junit(of_memory), stress_junit(of_run));
  EXPECT_EQ(of_memory.control_words, of_run.control_words);
  ASSERT_TRUE(of_memory.seek.has_value());
  EXPECT_EQ(of_memory.seek->result.losses, of_run.seek->result.losses);
  EXPECT_EQ(of_memory.seek->failures, of_run.seek->failures);

  const Matrix<float> few(2, outliers.points.cols() + 1);
  memory.cases.controls = few.view();
  EXPECT_THROW((void)run(memory, options, events), InvalidArgument);
  options.out = folder.file("other");
  EXPECT_THROW((void)run(memory, options, events), InvalidArgument);
}

void expect_refused(const StressOptions& options, const char* words) {
  Events events;
  try {
    run(options, events);
    FAIL() << "nothing was thrown for " << words;
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(StressJob, wrong_use_is_refused) {
  const TemporaryFolder folder;
  const std::string run_folder = folder.file("run");
  make_edited_run(run_folder);
  StressOptions options;
  options.input = run_folder;
  expect_refused(options, "in one way");
  options = stress_options(run_folder, row_maximum({0}));
  options.predictions = "p.npy";
  expect_refused(options, "in one way");
  options = stress_options(run_folder, row_maximum({0}));
  options.out = folder.file("other");
  expect_refused(options, "--out");
  options = stress_options("demo:bank", row_maximum({0}));
  expect_refused(options, "--out");
  options = stress_options(run_folder, row_maximum({0}));
  options.require = {"detection"};
  expect_refused(options, "--require");
  options.require = {"accepted <= 1"};
  expect_refused(options, "--require");
  options = stress_options(run_folder, row_maximum({0}));
  options.seek.seek = true;
  expect_refused(options, "--seek");
  options = stress_options(run_folder, row_maximum({0}));
  options.made_with = {{"count", {"3"}, "--count"}};
  expect_refused(options, "--count");
  options = stress_options(run_folder, row_maximum({0}));
  options.tolerance = 1.0;
  expect_refused(options, "--tolerance");
}

}  // namespace stress_test
}  // namespace sbog::job
