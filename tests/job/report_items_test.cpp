// SPDX-License-Identifier: Apache-2.0
// Items of the bank in the data of a report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "job/made_runs.h"
#include "job/report_page_data.h"
#include "sbog/base/errors.h"
#include "sbog/image/png.h"
#include "sbog/job/report_files.h"

namespace sbog::job {
namespace report_items_test {

using testing_support::make_points_run;
using testing_support::make_run;
using testing_support::page_data;
using testing_support::points_options;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;

constexpr std::size_t kRows = 600;

template <typename Line>
std::string write_lines(const TemporaryFolder& folder, const Line& line,
                        std::size_t rows = kRows) {
  std::ofstream file(folder.file("lines.txt"));
  for (std::size_t i = 0; i < rows; ++i) file << line(i) << '\n';
  return folder.file("lines.txt");
}

std::optional<ReportData> report(const ReportOptions& options) {
  Events events;
  return latent_report(options, FinishedRun(options.run), events, {});
}

TEST(ReportItems, shown_outliers_lead_to_the_lines_of_their_rows) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  ReportOptions options;
  options.run = folder.file("run");
  options.items = write_lines(
      folder, [](std::size_t i) { return "line " + std::to_string(i); });
  const auto data = report(options);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->listed.size(), 18u);
  std::set<std::size_t> rows;
  for (const ReportItem& item : data->items) {
    EXPECT_EQ(item.text, "line " + std::to_string(item.row));
    EXPECT_EQ(item.cls, item.row / 200);
    EXPECT_FALSE(item.png);
    EXPECT_TRUE(rows.insert(item.row).second) << "twice";
  }
  for (const ReportOutlier& o : data->outliers.facts) {
    ASSERT_EQ(o.neighbours.size(), 3u);
    for (const std::size_t at : o.neighbours) {
      EXPECT_LT(at, data->items.size());
    }
  }
}

TEST(ReportItems, a_run_without_items_has_none) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  ReportOptions options;
  options.run = folder.file("run");
  const auto data = report(options);
  ASSERT_TRUE(data);
  EXPECT_TRUE(data->items.empty());
  EXPECT_TRUE(data->listed.empty());
}

TEST(ReportItems, what_generate_was_given_is_found_and_hostile_text_is_text) {
  const TemporaryFolder folder;
  GenerateOptions made = points_options(folder.file("run"));
  const std::string hostile = "</script><script>alert(1)</script>\t&";
  made.items = write_lines(folder, [&](std::size_t) { return hostile; });
  Events events;
  run(made, events);
  std::ofstream(made.items) << "gone\n";
  ReportOptions options;
  options.run = folder.file("run");
  options.compute_missing = false;
  run(options, events);
  const nlohmann::json data = page_data(folder.file("run/report.html"));
  EXPECT_EQ(data["items"][0]["text"], "</script><script>alert(1)</script> &");
  EXPECT_THAT(data["command"].get<std::string>(),
              testing::HasSubstr("--items"));
  EXPECT_EQ(read_bytes(folder.file("run/report.html")).find(hostile),
            std::string::npos);
}

TEST(ReportItems, a_picture_that_is_there_is_shown_small_others_stay_text) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  const ImageShape shape{1, 50, 200};
  const std::vector<std::uint8_t> pixels(shape.size(), 128);
  write_png(folder.file("beside.png"), shape, pixels);
  std::ofstream(folder.file("broken.png")) << "no picture";
  std::ofstream(folder.file("secret.txt")) << "no picture";
  const std::string texts[] = {"beside.png", "broken.png", "missing.PNG",
                               "secret.txt", "http://host/x.png"};
  ReportOptions options;
  options.run = folder.file("run");
  options.items =
      write_lines(folder, [&](std::size_t i) { return texts[i % 5]; });
  const auto data = report(options);
  ASSERT_TRUE(data);
  std::size_t pictures = 0;
  for (const ReportItem& item : data->items) {
    EXPECT_EQ(item.text, texts[item.row % 5]);
    EXPECT_EQ(item.png.has_value(), item.row % 5 == 0) << item.text;
    if (!item.png) continue;
    ++pictures;
    EXPECT_LT(item.png->size(), 2000u);
  }
  EXPECT_GT(pictures, 0u);
}

TEST(ReportItems, a_long_line_is_cut_between_characters) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  std::string word;
  for (int i = 0; i < 300; ++i) word += "\xC3\xA4";
  ReportOptions options;
  options.run = folder.file("run");
  options.items = write_lines(folder, [&](std::size_t) { return "x" + word; });
  const auto data = report(options);
  ASSERT_TRUE(data);
  // 1 + 2 * 199 bytes are the longest whole characters within 400.
  EXPECT_EQ(data->items[0].text, "x" + word.substr(0, 398) + "\xE2\x80\xA6");
}

TEST(ReportItems, what_does_not_fit_is_refused) {
  const TemporaryFolder folder;
  make_points_run(folder.file("run"));
  ReportOptions options;
  options.run = folder.file("run");
  options.items = write_lines(
      folder, [](std::size_t) { return "x"; }, kRows + 1);
  EXPECT_THROW(report(options), InvalidArgument);
  for (const char* kind : {"series", "image"}) {
    make_run(kind, folder.file(kind));
    options.run = folder.file(kind);
    Events events;
    EXPECT_THROW(run(options, events), InvalidArgument) << kind;
  }
}

}  // namespace report_items_test
}  // namespace sbog::job
