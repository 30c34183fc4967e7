// SPDX-License-Identifier: Apache-2.0
// The job `generate` on images: its run folder, going on after a stop, and what
// is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/data/csv.h"
#include "sbog_torch/job/small_images.h"

namespace sbog::torch_jobs {
namespace generate_images_test {

using namespace testing_support;
namespace fs = std::filesystem;

job::GenerateOptions run_options(const std::string& out) {
  job::GenerateOptions options =
      job::default_generate_options(job::Kind::kImages);
  options.input = "demo:shapes";
  options.out = out;
  options.images.input = small_input();
  options.model = small_model();
  options.decoder = "mix";
  options.sampler.count = 3;
  options.sampler.seed = 3;
  options.no_report = true;
  return options;
}

TEST(GenerateImages, a_run_says_what_came_out_and_is_found_finished) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::GenerateOptions options = run_options(folder.file("run"));
  const job::GenerateResult result = generate_images(options, events, {});
  EXPECT_EQ(result.kind, job::Kind::kImages);
  EXPECT_EQ(result.requested, 24u);
  EXPECT_GT(result.produced, 0u);
  EXPECT_EQ(result.status, result.produced == 24 ? job::Status::kDone
                                                 : job::Status::kNotReached);
  EXPECT_EQ(result.classes.size(), 8u);
  const auto manifest = nlohmann::json::parse(result.manifest);
  EXPECT_EQ(manifest["kind"], "image");
  EXPECT_EQ(manifest["images"], 160);
  const auto metrics = nlohmann::json::parse(result.metrics);
  EXPECT_EQ(metrics["outliers"], result.produced);
  EXPECT_TRUE(metrics.contains("consistency"));
  options.resume = true;
  const job::GenerateResult again = generate_images(options, events, {});
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(again.status, result.status);
  EXPECT_EQ(again.produced, result.produced);
}

TEST(GenerateImages, a_stopped_run_goes_on_to_the_same_bytes) {
  const TemporaryFolder folder;
  RecordedEvents events;
  generate_images(run_options(folder.file("whole")), events, {});
  RecordedEvents stopped;
  stopped.stop_after = 1;
  job::GenerateOptions options = run_options(folder.file("cut"));
  EXPECT_EQ(generate_images(options, stopped, {}).status,
            job::Status::kStopped);
  EXPECT_FALSE(fs::exists(folder.file("cut/outliers.npy")));
  EXPECT_THROW(generate_images(options, events, {}), IoError);
  options.resume = true;
  ThreadPool pool(3);
  generate_images(options, events, {&pool, nullptr});
  for (const char* name : {"outliers.npy", "outliers.csv", "decoded/images.npy",
                           "image_metrics.json"}) {
    EXPECT_EQ(read_bytes(folder.file(std::string("whole/") + name)),
              read_bytes(folder.file(std::string("cut/") + name)))
        << name;
  }
}

TEST(GenerateImages, images_inside_are_counted_and_how_rare_is_told) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const auto result =
      generate_images(run_options(folder.file("run")), events, {});
  const auto metrics = nlohmann::json::parse(result.metrics);
  ASSERT_TRUE(metrics.contains("outside"));
  EXPECT_NEAR(
      metrics["outside"].get<double>() / metrics["decoded"].get<double>(),
      metrics["decoded_outside"], 1e-12);
  EXPECT_FALSE(metrics.contains("candidates"));
  // 120 scores are too few for an estimate, which is said, too.
  EXPECT_EQ(result.rarity.find("How rare the outliers are is not known"), 0u);
  CsvOptions csv;
  csv.header = CsvHeader::kPresent;
  csv.columns = {"rarity_bound", "severity"};
  const CsvTable table = read_csv(folder.file("run/outliers.csv"), csv);
  ASSERT_EQ(table.values.rows(), result.produced);
  for (std::size_t i = 0; i < result.produced; ++i) {
    EXPECT_GE(table.values(i, 0), 1.0 / 16.0);  // 15 scores of each class
    EXPECT_LE(table.values(i, 1), 2.0);
  }
}

TEST(GenerateImages, outside_only_and_severities_choose_images) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::GenerateOptions options = run_options(folder.file("outside"));
  options.series.outside_only = true;
  const auto outside = generate_images(options, events, {});
  const auto metrics = nlohmann::json::parse(outside.metrics);
  EXPECT_EQ(metrics["outside"], outside.produced);
  EXPECT_EQ(metrics["decoded_outside"], 1.0);
  EXPECT_GE(metrics["candidates"], outside.produced);
  EXPECT_EQ(outside.status, outside.produced == 24 ? job::Status::kDone
                                                   : job::Status::kNotReached);
  options = run_options(folder.file("graded"));
  options.model = graded_model();
  options.images.input = graded_input();
  options.sampler.severities = {1};
  options.sampler.local = 0;
  options.sampler.splitting = false;
  options.series.redraws = 0;
  RecordedEvents told;
  const auto graded = generate_images(options, told, {});
  EXPECT_EQ(graded.severities, "1");
  EXPECT_EQ(graded.requested, 24u);
  // Without further candidates some band stays short, and is named.
  ASSERT_LT(graded.produced, 24u);
  EXPECT_EQ(graded.status, job::Status::kNotReached);
  EXPECT_THAT(told.warnings,
              ::testing::Contains(::testing::HasSubstr(", severity 1: ")));
}

TEST(GenerateImages, what_makes_no_sense_is_refused_before_a_folder_is_made) {
  const TemporaryFolder folder;
  RecordedEvents events;
  job::GenerateOptions certified = run_options(folder.file("run"));
  certified.sampler.certify = true;
  EXPECT_THROW(generate_images(certified, events, {}), InvalidArgument);
  job::GenerateOptions other = run_options(folder.file("run"));
  other.images.input.limit = 19;
  EXPECT_THROW(generate_images(other, events, {}), InvalidArgument);
  job::GenerateOptions none = run_options(folder.file("run"));
  none.decoder = "none";
  none.series.outside_only = true;
  EXPECT_THROW(generate_images(none, events, {}), InvalidArgument);
  job::GenerateOptions severe = run_options(folder.file("run"));
  severe.sampler.severities = {1};  // with the local reference of the profile
  EXPECT_THROW(generate_images(severe, events, {}), InvalidArgument);
  severe.sampler.local = 0;
  severe.sampler.splitting = false;
  severe.sampler.severities = {4};  // more than the scores tell
  EXPECT_THROW(generate_images(severe, events, {}), InvalidArgument);
  job::GenerateOptions absent = run_options(folder.file("run"));
  absent.model = folder.file("absent");
  EXPECT_THROW(generate_images(absent, events, {}), IoError);
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace generate_images_test
}  // namespace sbog::torch_jobs
