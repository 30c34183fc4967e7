// SPDX-License-Identifier: Apache-2.0
// The job evaluate as a library, on files: its metrics, its file, stopping and
// what it refuses.
#include "sbog/job/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/calls.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/array.h"
#include "sbog/energy/perplexity.h"
#include "sbog/job/embedded_data.h"

namespace sbog::job {
namespace evaluate_test {

using ::testing::HasSubstr;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

EvaluateOptions on_demo() {
  EvaluateOptions options;
  options.bank = "demo:bank";
  options.outliers = "demo:outliers";
  return options;
}

std::string refusal(const EvaluateOptions& options) {
  Events events;
  return testing_support::invalid_argument_of([&] { run(options, events); });
}

TEST(EvaluateJob, metrics_are_those_of_the_library) {
  EvaluateOptions options = on_demo();
  options.energy.precision = "double";
  Events events;
  const EvaluateResult result = run(options, events);
  EXPECT_EQ(result.status, Status::kDone);
  EXPECT_EQ(result.bank_rows, 600u);
  EXPECT_EQ(result.outlier_rows, 60u);
  EXPECT_EQ(result.dim, 4u);
  EXPECT_EQ(result.out, "");
  const auto bank = to_matrix<double>(load_array("demo:bank"));
  const auto outliers = to_matrix<double>(load_array("demo:outliers"));
  OutlierProblem<double> problem;
  problem.bank = bank.view();
  problem.outliers = outliers.view();
  OutlierOptions settings;
  const double epsilon = find_epsilon<double>({bank.view(), {}, {}}, {});
  EXPECT_EQ(result.settings.score.energy.epsilon, epsilon);
  options.energy.epsilon = epsilon;
  settings.score = score_options_of(options.energy, {}, 0);
  const OutlierMetrics expected = evaluate_outliers(problem, settings);
  for (const MetricEntry& entry : expected.table.entries()) {
    EXPECT_EQ(result.metrics.table.find(entry.name.c_str()).value, entry.value)
        << entry.name;
  }
}

TEST(EvaluateJob, classes_share_the_median_of_their_temperatures) {
  EvaluateOptions options = on_demo();
  options.energy.labels = "demo:labels";
  options.outlier_labels = "demo:outlier-labels";
  options.energy.per_class = true;
  Events events;
  const EvaluateResult result = run(options, events);
  const auto bank = to_matrix<float>(load_array("demo:bank"));
  const double expected = one_epsilon<float>(
      {}, {bank.view(), {}, {}}, to_labels(load_array("demo:labels")), {}, {});
  EXPECT_EQ(result.settings.score.energy.epsilon, expected);
  EXPECT_EQ(to_json(result).at("epsilon"), expected);
}

TEST(EvaluateJob, the_file_is_the_json_of_the_result) {
  const TemporaryFolder folder;
  EvaluateOptions options = on_demo();
  options.energy.labels = "demo:labels";
  options.outlier_labels = "demo:outlier-labels";
  options.class_anchors = "demo:anchors";
  options.out = folder.file("m.json");
  Events events;
  const EvaluateResult result = run(options, events);
  EXPECT_EQ(result.out, options.out);
  EXPECT_EQ(testing_support::read_bytes(options.out),
            to_json(result).dump(2) + "\n");
  EXPECT_EQ(result.metrics.purity.size(), 3u);
}

TEST(EvaluateJob, a_stopped_job_writes_nothing) {
  const TemporaryFolder folder;
  EvaluateOptions options = on_demo();
  options.out = folder.file("m.json");
  RecordedEvents events;
  events.stop_after = 1;
  EXPECT_EQ(run(options, events).status, Status::kStopped);
  EXPECT_FALSE(std::filesystem::exists(options.out));
}

TEST(EvaluateJob, options_that_make_no_sense_are_refused) {
  EXPECT_THAT(refusal({}), HasSubstr("RUN folder, or --bank and --outliers"));
  EvaluateOptions options = on_demo();
  options.energy.per_class = true;
  EXPECT_THAT(refusal(options), HasSubstr("--outlier-labels"));
  options = on_demo();
  options.class_anchors = "demo:anchors";
  EXPECT_THAT(refusal(options), HasSubstr("--outlier-labels"));
  options = on_demo();
  options.energy.cost = "mahalanobis";
  EXPECT_THAT(refusal(options), HasSubstr("--metric"));
  options = {};
  options.run = "somewhere";
  options.energy.trim = 0.1;
  EXPECT_THAT(refusal(options), HasSubstr("--trim: a RUN has its own"));
}

TEST(EvaluateJob, its_table_knows_the_earlier_name_of_the_anchors) {
  EvaluateOptions options;
  const std::vector<Assignment> given = {{"anchors", {"a.npy"}, "--anchors"}};
  evaluate_option_table().apply(given, options);
  EXPECT_EQ(options.class_anchors, "a.npy");
  EXPECT_NO_THROW(evaluate_option_table().check_required(options));
}

}  // namespace evaluate_test
}  // namespace sbog::job
