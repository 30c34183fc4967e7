// SPDX-License-Identifier: Apache-2.0
// The job `generate` on points called as a function: files, resume, stop.
#include "sbog/job/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"

namespace sbog::job {
namespace generate_test {

using testing_support::read_bytes;
using testing_support::RecordedEvents;
using testing_support::TemporaryFolder;

GenerateOptions on_demo(const std::string& out) {
  GenerateOptions options = default_generate_options(Kind::kPoints);
  options.input = "demo:bank";
  options.labels = "demo:labels";
  options.out = out;
  options.sampler.count = 12;
  options.part = 5;
  options.no_report = true;
  return options;
}

TEST(GenerateJob, a_run_has_its_files_and_counts) {
  const TemporaryFolder folder;
  RecordedEvents events;
  const GenerateResult result = run(on_demo(folder.file("run")), events);
  EXPECT_EQ(result.status, Status::kDone);
  EXPECT_EQ(result.kind, Kind::kPoints);
  EXPECT_EQ(result.requested, 36u);
  EXPECT_EQ(result.produced, 36u);
  EXPECT_EQ(result.classes.size(), 3u);
  EXPECT_THAT(events.stages, testing::Contains("generating"));
  for (const char* name : {"config.toml", "manifest.json", "outliers.npy",
                           "outliers.csv", "bank_energies.npy"}) {
    EXPECT_TRUE(
        std::filesystem::exists(folder.file(std::string("run/") + name)))
        << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/parts")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/report.html")));
  EXPECT_EQ(to_json(result).at("produced"), 36);
}

TEST(GenerateJob, a_stopped_run_goes_on_to_the_same_bytes) {
  const TemporaryFolder folder;
  Events quiet;
  run(on_demo(folder.file("whole")), quiet);
  GenerateOptions options = on_demo(folder.file("run"));
  RecordedEvents events;
  events.stop_after = 2;
  EXPECT_EQ(run(options, events).status, Status::kStopped);
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/outliers.npy")));
  Events again;
  EXPECT_THROW(run(options, again), IoError);
  options.resume = true;
  ThreadPool pool(3);
  EXPECT_EQ(run(options, again, {&pool, nullptr}).status, Status::kDone);
  for (const char* name : {"/outliers.npy", "/outliers.csv"}) {
    EXPECT_EQ(read_bytes(folder.file("run") + name),
              read_bytes(folder.file("whole") + name));
  }
}

TEST(GenerateJob, a_finished_run_is_not_made_again) {
  const TemporaryFolder folder;
  GenerateOptions options = on_demo(folder.file("run"));
  RecordedEvents events;
  run(options, events);
  options.resume = true;
  const GenerateResult again = run(options, events);
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(again.produced, 36u);
  EXPECT_THAT(events.notes,
              testing::Contains(testing::HasSubstr("already finished")));
  // Killed between the last line of its manifest and the removal of its parts.
  std::filesystem::create_directory(options.out + "/parts");
  write_file_atomically(options.out + "/parts/class0-0.safetensors", "part");
  run(options, events);
  EXPECT_FALSE(std::filesystem::exists(options.out + "/parts"));
}

TEST(GenerateJob, what_cannot_be_reached_is_a_status_and_a_warning) {
  const TemporaryFolder folder;
  GenerateOptions options = on_demo(folder.file("run"));
  options.sampler.margin = 5.0;
  options.sampler.max_rounds = 2;
  RecordedEvents events;
  const GenerateResult result = run(options, events);
  EXPECT_EQ(result.status, Status::kNotReached);
  EXPECT_EQ(result.produced, 0u);
  ASSERT_FALSE(events.warnings.empty());
  EXPECT_THAT(events.warnings[0], testing::HasSubstr("0 of 12 outliers"));
}

TEST(GenerateJob, options_that_make_no_sense_leave_no_folder) {
  const TemporaryFolder folder;
  GenerateOptions options = on_demo(folder.file("run"));
  options.part = 0;
  Events events;
  EXPECT_THROW(run(options, events), InvalidArgument);
  options.part = 5;
  options.sampler.auto_epsilon = false;
  options.sampler.energy.epsilon = -1.0;
  EXPECT_THROW(run(options, events), InvalidArgument);
  EXPECT_TRUE(folder.is_empty());
}

TEST(GenerateJob, certified_outliers_have_verdicts) {
  const TemporaryFolder folder;
  GenerateOptions options;
  const std::vector<Assignment> given = {{"input", {"demo:bank"}, "input"},
                                         {"certify", {"true"}, "--certify"},
                                         {"count", {"4"}, "--count"}};
  generate_option_table().apply(given, options);
  options.out = folder.file("run");
  options.no_report = true;
  Events events;
  run(options, events);
  const std::string table = read_bytes(folder.file("run/outliers.csv"));
  const std::string first = table.substr(table.find('\n') + 1);
  std::vector<std::string> fields = {""};
  for (const char c : first.substr(0, first.find('\n'))) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  ASSERT_EQ(fields.size(), 20u);
  EXPECT_THAT(fields[14], testing::AnyOf("0", "1"));  // certified
}

}  // namespace generate_test
}  // namespace sbog::job
