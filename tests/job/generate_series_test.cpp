// SPDX-License-Identifier: Apache-2.0
// The job `generate` on a series as a library: results, stops and resuming,
// what is refused before a folder is made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "job/recorded_events.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/base/thread_pool.h"
#include "sbog/data/npy.h"
#include "sbog/job/generate.h"

namespace sbog::testing_support {
namespace generate_series_test {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Small and quick; what is kept is not the point of these tests.
job::GenerateOptions quick(const std::string& out) {
  job::GenerateOptions options =
      job::default_generate_options(job::Kind::kSeries);
  options.input = "demo:series";
  options.out = out;
  options.no_report = true;
  options.epochs = 6;
  options.sampler.count = 4;
  options.sampler.seed = 3;
  options.series.width = 48;
  options.series.stride = 2;
  options.series.steps = 10;
  options.series.outside_only = true;
  options.series.severity = {"none"};
  return options;
}

// Random edits of severities 1 and 2: no encoder.
job::GenerateOptions graded(const std::string& out) {
  job::GenerateOptions options = quick(out);
  options.series.outside_only = false;
  options.series.law = "edit-first";
  options.series.severity = {"1", "2"};
  options.series.plots = 2;
  options.sampler.count = 5;
  return options;
}

// All results of a run as one text.
std::string results_of(const std::string& run) {
  std::string all;
  for (const char* name : {"/outliers.npy", "/outliers.csv", "/metrics.json",
                           "/decoded/windows.npy", "/decoded/edits.json"}) {
    all += read_bytes(run + name);
  }
  return all;
}

TEST(GenerateSeries, the_result_tells_what_the_folder_holds) {
  const TemporaryFolder folder;
  RecordedEvents events;
  ThreadPool pool(2);
  const job::GenerateResult result =
      job::generate_series(quick(folder.file("run")), events, {&pool, nullptr});
  EXPECT_EQ(result.kind, job::Kind::kSeries);
  EXPECT_EQ(result.requested, 4u);
  ASSERT_GE(result.produced, 1u);
  EXPECT_EQ(result.status, result.produced == 4u ? job::Status::kDone
                                                 : job::Status::kNotReached);
  ASSERT_TRUE(result.series.has_value());
  EXPECT_EQ(result.series->sentences.size(), result.produced);
  EXPECT_THAT(events.stages, ElementsAre("training", "decoding"));
  EXPECT_EQ(read_npy(folder.file("run/outliers.npy")).shape()[0],
            result.produced);
  const json manifest = json::parse(result.manifest);
  EXPECT_EQ(manifest["kind"], "series");
  EXPECT_EQ(manifest["law"], result.series->law);
  EXPECT_EQ(json::parse(result.metrics),
            json::parse(read_bytes(folder.file("run/metrics.json"))));
  const json told = to_json(result);
  EXPECT_EQ(told["produced"], result.produced);
  EXPECT_EQ(told["metrics"]["kept"], result.produced);
}

TEST(GenerateSeries, at_a_severity_random_edits_need_no_encoder) {
  const TemporaryFolder folder;
  RecordedEvents events;
  ThreadPool pool(2);
  const std::string run = folder.file("run");
  const job::GenerateResult result =
      job::generate_series(graded(run), events, {&pool, nullptr});
  EXPECT_EQ(result.requested, 10u);
  ASSERT_GE(result.produced, 5u);
  EXPECT_THAT(events.stages, ElementsAre("decoding"));
  EXPECT_FALSE(std::filesystem::exists(run + "/model.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(run + "/bank.npy"));
  EXPECT_EQ(result.series->severities.at(1).asked, 5u);
  EXPECT_FALSE(result.series->has_energies);
  const json metrics = json::parse(result.metrics);
  EXPECT_FALSE(metrics.contains("threshold"));
  EXPECT_EQ(metrics["severities"].size(), 2u);
  for (const json& entry :
       json::parse(read_bytes(run + "/decoded/edits.json"))) {
    if (!entry.contains("window")) continue;
    EXPECT_EQ(entry["severity"], entry["asked_severity"]);
    const double rarity = entry["rarity"];
    EXPECT_LE(rarity, std::pow(10.0, -entry["severity"].get<double>()));
    EXPECT_EQ(entry["edits"][0]["rated"]["rarity"], rarity);
    EXPECT_FALSE(entry.contains("energy"));
  }
  EXPECT_THAT(read_bytes(run + "/outliers.csv"),
              HasSubstr(",asked_severity,severity,rarity,return_period_rows,"
                        "return_period_low,return_period_high,sentence\n"));
  EXPECT_THAT(read_bytes(run + "/decoded/scenarios.csv"),
              HasSubstr("scenario,row,label,edited\n"));
  // The same bits by another number of threads.
  job::Events silent;
  job::generate_series(graded(folder.file("alone")), silent, {});
  EXPECT_EQ(read_bytes(run + "/decoded/scenarios.csv"),
            read_bytes(folder.file("alone/decoded/scenarios.csv")));
}

TEST(GenerateSeries, a_search_at_a_severity_tells_energies_beside_it) {
  const TemporaryFolder folder;
  job::Events silent;
  ThreadPool pool(2);
  job::GenerateOptions options = quick(folder.file("run"));
  options.series.outside_only = false;
  options.series.severity = {"1"};
  const job::GenerateResult result =
      job::generate_series(options, silent, {&pool, nullptr});
  ASSERT_GE(result.produced, 1u);
  for (const json& entry :
       json::parse(read_bytes(folder.file("run/decoded/edits.json")))) {
    if (!entry.contains("window")) continue;
    EXPECT_EQ(entry["status"], "graded");
    EXPECT_EQ(entry["severity"], 1);
    EXPECT_TRUE(entry.contains("energy_source"));
    const std::string sentence = entry["sentence"];
    EXPECT_THAT(sentence, HasSubstr("Energy "));
    EXPECT_EQ(sentence.find(" once in ") != std::string::npos,
              entry.contains("return_period_rows"))
        << sentence;
  }
}

TEST(GenerateSeries, a_stopped_run_goes_on_to_the_same_bytes) {
  const TemporaryFolder folder;
  job::Events silent;
  const job::GenerateResult whole =
      job::generate_series(quick(folder.file("whole")), silent, {});
  job::GenerateOptions options = quick(folder.file("cut"));
  // First within the training, then within the decoding.
  RecordedEvents training;
  training.stop_after = 2;
  EXPECT_EQ(job::generate_series(options, training, {}).status,
            job::Status::kStopped);
  EXPECT_THAT(training.stages, ElementsAre("training"));
  EXPECT_THAT(training.notes, ElementsAre(HasSubstr("--resume")));
  options.resume = true;
  class StopsWhileDecoding : public RecordedEvents {
   public:
    bool on_progress(std::uint64_t /*done*/, std::uint64_t /*total*/) override {
      return stages.back() != "decoding";
    }
  } decoding;
  EXPECT_EQ(job::generate_series(options, decoding, {}).status,
            job::Status::kStopped);
  EXPECT_TRUE(std::filesystem::exists(folder.file("cut/parts")));
  RecordedEvents rest;
  const job::GenerateResult result = job::generate_series(options, rest, {});
  EXPECT_EQ(result.status, whole.status);
  EXPECT_THAT(rest.stages, ElementsAre("decoding"));  // the model was kept
  EXPECT_EQ(results_of(folder.file("cut")), results_of(folder.file("whole")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("cut/parts")));
  const job::GenerateResult again = job::generate_series(options, rest, {});
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(again.produced, result.produced);
}

TEST(GenerateSeries, a_collapsed_encoder_ends_without_outliers) {
  const TemporaryFolder folder;
  job::GenerateOptions options = quick(folder.file("run"));
  options.epochs = 1;
  options.series.stride = 3;
  RecordedEvents events;
  const job::GenerateResult result = job::generate_series(options, events, {});
  EXPECT_EQ(result.status, job::Status::kNotReached);
  EXPECT_EQ(result.produced, 0u);
  EXPECT_THAT(events.warnings, ElementsAre(HasSubstr("has collapsed")));
}

TEST(GenerateSeries, what_is_refused_leaves_no_folder) {
  const TemporaryFolder folder;
  job::Events events;
  const auto refusal = [&](const auto& change, const char* words) {
    job::GenerateOptions options = quick(folder.file("run"));
    change(options);
    EXPECT_THAT([&] { job::generate_series(options, events, {}); },
                ThrowsMessage<InvalidArgument>(HasSubstr(words)));
  };
  refusal([](auto& o) { o.decoder = "flow"; }, "not for --kind series");
  refusal(
      [](auto& o) {
        o.decoder = "vae";
        o.series.law = "edit-first";
      },
      "--law edit-first");
  refusal([](auto& o) { o.series.kinds = {"magic"}; }, "magic");
  refusal([](auto& o) { o.series.channels = {"nine"}; },
          "--channels: the series has no channel 'nine'");
  refusal([](auto& o) { o.series.classes = {"0"}; },
          "--classes: channel=class is expected, got '0'");
  refusal([](auto& o) { o.series.width = 20; }, "at least 32 samples");
  refusal([](auto& o) { o.sampler.count = 0; }, "count");
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace generate_series_test
}  // namespace sbog::testing_support
