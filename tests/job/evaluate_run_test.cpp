// SPDX-License-Identifier: Apache-2.0
// The job evaluate on runs of every kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "job/recorded_events.h"
#include "sbog/base/errors.h"
#include "sbog/job/evaluate.h"

namespace sbog::job {
namespace evaluate_run_test {

using ::testing::ElementsAre;
using testing_support::make_run;
using testing_support::read_json;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

EvaluateResult evaluated(const std::string& folder, Events& events) {
  EvaluateOptions options;
  options.run = folder;
  return run(options, events);
}

double value_of(const EvaluateResult& result, const char* name) {
  const MetricEntry& entry = result.metrics.table.find(name);
  EXPECT_TRUE(entry.value) << name << ": " << entry.reason;
  return entry.value.value_or(-1.0);
}

double mean_margin(const std::string& folder) {
  const RunOutliers<float> outliers = read_outliers<float>(FinishedRun(folder));
  double sum = 0.0;
  for (const double margin : outliers.margins) sum += margin;
  return sum / static_cast<double>(outliers.margins.size());
}

TEST(EvaluateRun, points_have_every_metric) {
  const TemporaryFolder folder;
  make_run("latent", folder.file("run"));
  RecordedEvents events;
  const EvaluateResult result = evaluated(folder.file("run"), events);
  EXPECT_THAT(events.stages, ElementsAre("probing", "evaluating"));
  EXPECT_EQ(result.kind, "latent");
  EXPECT_NEAR(value_of(result, "Gap"), mean_margin(folder.file("run")), 1e-12);
  for (const char* name : {"Fill_A", "Fill_n", "Pass", "Delta_all",
                           "Token_cosine", "Fidelity_1nn", "MMD2"}) {
    EXPECT_GT(value_of(result, name), 0.0) << name;
  }
  EXPECT_EQ(read_json(folder.file("run/metrics.json"))["outlier_rows"], 18);
}

TEST(EvaluateRun, images_are_evaluated_on_their_latents) {
  const TemporaryFolder folder;
  make_run("image", folder.file("run"));
  RecordedEvents events;
  const EvaluateResult result = evaluated(folder.file("run"), events);
  EXPECT_EQ(result.kind, "image");
  EXPECT_EQ(result.outlier_rows, 18u);
  EXPECT_EQ(result.metrics.purity.size(), 3u);
  EXPECT_GT(value_of(result, "Fidelity_1nn"), 0.0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("run/metrics.json")));
}

TEST(EvaluateRun, a_series_is_one_class_and_keeps_what_its_file_said) {
  const TemporaryFolder folder;
  make_run("series", folder.file("run"));
  const nlohmann::json before = read_json(folder.file("run/metrics.json"));
  RecordedEvents events;
  const EvaluateResult result = evaluated(folder.file("run"), events);
  EXPECT_THAT(events.stages, ElementsAre("evaluating"));
  EXPECT_EQ(result.kind, "series");
  EXPECT_EQ(result.bank_rows, testing_support::kSeriesWindows);
  EXPECT_EQ(result.outlier_rows, 2u);
  EXPECT_NEAR(value_of(result, "Gap"), mean_margin(folder.file("run")), 1e-12);
  for (const char* name : {"MMD2", "SW2", "Diversity", "Nearest_min"}) {
    EXPECT_GT(value_of(result, name), 0.0) << name;
  }
  EXPECT_EQ(result.metrics.table.find("Purity").value, std::nullopt);
  const GenerateOptions made = options_of_run(FinishedRun(folder.file("run")));
  EXPECT_EQ(result.settings.score.energy.epsilon, made.sampler.energy.epsilon);
  EXPECT_EQ(result.settings.score.trim, made.sampler.trim);
  // Its own threshold is that of the run.
  ASSERT_EQ(result.metrics.score.classes.size(), 1u);
  EXPECT_NEAR(result.metrics.score.classes[0].threshold.value,
              before["threshold"].get<double>(), 1e-3);
  const nlohmann::json after = read_json(folder.file("run/metrics.json"));
  for (const auto& [key, value] : before.items()) {
    EXPECT_EQ(after[key], value) << key;
  }
  EXPECT_EQ(after["outlier_rows"], 2);
  EXPECT_TRUE(after["metrics"].is_array());
}

TEST(EvaluateRun, another_file_leaves_that_of_the_run_alone) {
  const TemporaryFolder folder;
  make_run("series", folder.file("run"));
  const nlohmann::json before = read_json(folder.file("run/metrics.json"));
  EvaluateOptions options;
  options.run = folder.file("run");
  options.out = folder.file("m.json");
  Events events;
  run(options, events);
  EXPECT_EQ(read_json(folder.file("run/metrics.json")), before);
  EXPECT_FALSE(read_json(options.out).contains("mean_reached"));
}

TEST(EvaluateRun, the_bank_of_series_and_images_is_in_their_folder) {
  for (const char* kind : {"series", "image"}) {
    const TemporaryFolder folder;
    make_run(kind, folder.file("run"));
    EvaluateOptions options;
    options.run = folder.file("run");
    options.bank = "demo:bank";
    Events events;
    EXPECT_THROW(run(options, events), InvalidArgument) << kind;
    options.bank.clear();
    std::filesystem::remove(folder.file("run/bank.npy"));
    EXPECT_THROW(run(options, events), IoError) << kind;
  }
}

TEST(EvaluateRun, edits_that_do_not_fit_the_table_are_refused) {
  const TemporaryFolder folder;
  make_run("series", folder.file("run"));
  Events events;
  for (const char* text : {"[]", "{", "[{}, {}, {}]"}) {
    write_file_atomically(folder.file("run/decoded/edits.json"), text);
    EXPECT_THROW(evaluated(folder.file("run"), events), IoError) << text;
  }
}

}  // namespace evaluate_run_test
}  // namespace sbog::job
