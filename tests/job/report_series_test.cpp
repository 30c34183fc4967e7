// SPDX-License-Identifier: Apache-2.0
// The report of a run on a series as data: scenarios, and what evaluate and
// certify left in its folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "job/made_runs.h"
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

TEST(ReportSeries, edits_of_unknown_channels_are_refused) {
  const TemporaryFolder folder;
  make_series_run(folder.file("run"));
  const std::string path = folder.file("run/decoded/edits.json");
  nlohmann::json edits = testing_support::read_json(path);
  edits[0]["edits"][0]["channel"] = "smell";
  testing_support::write_json(path, edits);
  EXPECT_THROW(report_of(folder.file("run")), IoError);
}

}  // namespace report_series_test
}  // namespace sbog::job
