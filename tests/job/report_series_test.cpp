// SPDX-License-Identifier: Apache-2.0
// The report of a run on a series as data: scenarios, and what evaluate and
// certify left in its folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "job/made_runs.h"
#include "oracle/calls.h"
#include "sbog/base/errors.h"
#include "sbog/job/certify.h"
#include "sbog/job/evaluate.h"
#include "sbog/job/report_files.h"

namespace sbog::job {
namespace report_series_test {

using testing_support::make_series_run;
using testing_support::TemporaryFolder;

std::optional<ReportData> report_of(const std::string& folder) {
  ReportOptions options;
  options.run = folder;
  Events events;
  return series_report(options, FinishedRun(folder), events, {});
}

std::size_t count_named(const ReportData& data, const std::string& name) {
  return static_cast<std::size_t>(
      std::count_if(data.metrics->begin(), data.metrics->end(),
                    [&](const ReportMetric& m) { return m.name == name; }));
}

TEST(ReportSeries, kept_windows_and_their_anchors_are_told) {
  const TemporaryFolder folder;
  make_series_run(folder.file("run"));
  const auto data = report_of(folder.file("run"));
  ASSERT_TRUE(data);
  ASSERT_EQ(data->windows.size(), 2u);
  EXPECT_EQ(data->windows[1].outlier, 2u);
  EXPECT_EQ(data->windows[1].first_row, 18u);
  ASSERT_EQ(data->windows[0].channels.size(), 1u);
  EXPECT_EQ(data->windows[0].channels[0].name, "flow");
  ASSERT_EQ(data->classes.size(), 1u);
  EXPECT_EQ(data->classes[0].anchors_tried, 2u);
  EXPECT_EQ(data->classes[0].anchors_hit, 2u);
  EXPECT_EQ(data->classes[0].binding, "far");
  EXPECT_TRUE(data->certificate.empty());
  EXPECT_THAT(data->certificate_note, ::testing::HasSubstr("none"));
  EXPECT_EQ(count_named(*data, "MMD2"), 1u);
  EXPECT_EQ(count_named(*data, "FlipRate@256"), 0u);
}

TEST(ReportSeries, metrics_and_certificate_of_the_folder_are_shown) {
  const TemporaryFolder folder;
  make_series_run(folder.file("run"));
  Events events;
  EvaluateOptions evaluate;
  evaluate.run = folder.file("run");
  run(evaluate, events);
  CertifyOptions certify;
  certify.target = folder.file("run");
  run(certify, events);
  const auto data = report_of(folder.file("run"));
  ASSERT_TRUE(data);
  EXPECT_EQ(count_named(*data, "Gap"), 1u);
  EXPECT_EQ(count_named(*data, "Kept"), 1u);
  EXPECT_EQ(count_named(*data, "FlipRate@256") + count_named(*data, "FlipRate"),
            1u);
  EXPECT_FALSE(data->certificate.empty());
}

TEST(ReportSeries, points_that_do_not_fit_the_windows_are_refused) {
  const TemporaryFolder folder;
  make_series_run(folder.file("run"));
  const std::string path = folder.file("run/decoded/edits.json");
  const nlohmann::json edits = testing_support::read_json(path);
  nlohmann::json fewer = edits;
  fewer.erase(2);
  testing_support::write_json(path, fewer);
  EXPECT_THROW(report_of(folder.file("run")), IoError);
  nlohmann::json elsewhere = edits;
  elsewhere[0]["anchor_window"] = testing_support::kSeriesWindows;
  testing_support::write_json(path, elsewhere);
  EXPECT_THROW(report_of(folder.file("run")), IoError);
}

// A run of random edits, which has no encoder.
GenerateOptions without_encoder(const std::string& out) {
  GenerateOptions options = default_generate_options(Kind::kSeries);
  options.input = "demo:series";
  options.out = out;
  options.series.width = 48;
  options.series.law = "edit-first";
  options.series.severity = {"1", "2"};
  options.series.plots = 0;
  options.sampler.count = 5;
  return options;
}

TEST(ReportSeries, a_run_without_an_encoder_has_windows_and_no_map) {
  const TemporaryFolder folder;
  Events events;
  const GenerateResult made = run(without_encoder(folder.file("run")), events);
  EXPECT_EQ(made.report, folder.file("run/report.html"));
  const auto data = report_of(folder.file("run"));
  ASSERT_TRUE(data);
  EXPECT_EQ(data->bank.total, 0u);
  EXPECT_EQ(data->outliers.total, made.produced);
  EXPECT_EQ(data->outliers.facts.size(), data->outliers.energy.size());
  EXPECT_EQ(data->windows.size(), made.produced);
  EXPECT_THAT(data->windows[0].sentences[0],
              ::testing::StartsWith("Severity 1, 1 in "));
  EXPECT_EQ(count_named(*data, "Kept"), 1u);
  EXPECT_EQ(count_named(*data, "Gap"), 0u);
  EXPECT_THAT(data->certificate_note, ::testing::HasSubstr("encoder"));
  EXPECT_THAT(data->notes, ::testing::Contains(::testing::HasSubstr(
                               "Self-check: in the last fifth")));
  const std::string page = testing_support::read_bytes(made.report);
  EXPECT_THAT(page, ::testing::HasSubstr("Decoded examples"));
}

TEST(ReportSeries, other_jobs_say_what_such_a_run_lacks) {
  const TemporaryFolder folder;
  Events events;
  GenerateOptions options = without_encoder(folder.file("run"));
  options.no_report = true;
  run(options, events);
  EvaluateOptions evaluate;
  evaluate.run = folder.file("run");
  CertifyOptions certify;
  certify.target = folder.file("run");
  const auto expect_sentence = [](const std::string& words) {
    EXPECT_THAT(words, ::testing::HasSubstr("made without an encoder"));
    EXPECT_THAT(words, ::testing::HasSubstr("--model FILE"));
  };
  expect_sentence(
      testing_support::invalid_argument_of([&] { run(evaluate, events); }));
  expect_sentence(
      testing_support::invalid_argument_of([&] { run(certify, events); }));
}

}  // namespace report_series_test
}  // namespace sbog::job
