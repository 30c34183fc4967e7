// SPDX-License-Identifier: Apache-2.0
// The report of a run on a series: windows, edits, times and hostile headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace report_series_test {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHeader = "</script><b>\u202E'&";

// Three channels, one with a hostile name, and times.
void write_series(const TemporaryFolder& folder) {
  std::ofstream file(folder.file("plant.csv"));
  file << "time,flow,\"" << kHeader << "\",load\n";
  double slow = 0.0;
  double fast = 0.0;
  for (int t = 0; t < 700; ++t) {
    slow = 0.9 * slow + 0.3 * ((t * 7919 % 101) / 101.0 - 0.5);
    fast = 0.8 * fast + 0.3 * ((t * t * 31 % 97) / 97.0 - 0.5);
    file << 1000 + 60 * t << "," << std::sin(0.11 * t) + slow << ","
         << std::cos(0.07 * t) + fast << ","
         << 0.1 * (t * 31 % 17) + slow * fast << "\n";
  }
}

json report_of(const TemporaryFolder& folder, const std::string& file) {
  const std::string page = read_bytes(folder.file(file));
  const std::size_t at = page.find('>', page.find("id=\"sbog-data\"")) + 1;
  EXPECT_THAT(page, Not(HasSubstr("<b>\u202E")));
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

ToolResult make_run(const TemporaryFolder& folder, const std::string& words) {
  return run_tool(folder,
                  "generate plant.csv --width 48 --stride 2 --epochs 6 "
                  "--count 4 --steps 10 --seed 3 --severity none "
                  "--outside-only --out run " +
                      words);
}

TEST(ReportSeries, windows_edits_and_channels_are_those_of_the_run) {
  const TemporaryFolder folder;
  write_series(folder);
  const ToolResult made = make_run(folder, "");
  ASSERT_LE(made.exit_code, 1) << made.err;
  EXPECT_THAT(made.err, HasSubstr("report: run/report.html"));
  const json data = report_of(folder, "run/report.html");
  const json manifest =
      json::parse(read_bytes(folder.file("run/manifest.json")));
  const json edits =
      json::parse(read_bytes(folder.file("run/decoded/edits.json")));
  EXPECT_EQ(data["run"]["kind"], "series");
  EXPECT_EQ(data["run"]["bank_rows"], manifest["windows"]);
  EXPECT_EQ(data["run"]["produced"], manifest["produced"]);
  EXPECT_EQ(data["bank"]["x"].size(), data["run"]["bank_rows"]);
  ASSERT_EQ(data["classes"].size(), 1u);
  EXPECT_TRUE(data["certificate"].is_null());
  EXPECT_THAT(data["certificate_note"].get<std::string>(), HasSubstr("none"));
  ASSERT_GE(data["windows"].size(), 1u);
  std::size_t next = 0;
  for (const json& entry : edits) {
    if (!entry.contains("window")) continue;
    const json& window = data["windows"][next];
    EXPECT_EQ(window["outlier"], entry["index"]);
    EXPECT_EQ(window["sentences"][0], entry["sentence"]);
    EXPECT_EQ(window["first_row"], entry["anchor_row"]);
    EXPECT_EQ(window["times"], entry["times"]);
    EXPECT_EQ(window["channel_count"], 3);
    EXPECT_EQ(data["outliers"]["words"][next], entry["sentence"]);
    ASSERT_GE(window["channels"].size(), 1u);
    for (const json& channel : window["channels"]) {
      EXPECT_EQ(channel["source"].size(), 48u);
      EXPECT_EQ(channel["edited"].size(), 48u);
      EXPECT_LT(channel["low"], channel["high"]);
      // A partner is shown as it was recorded.
      const bool is_partner = channel["name"].get<std::string>().find(
                                  " (partner of ") != std::string::npos;
      EXPECT_EQ(channel["source"] == channel["edited"], is_partner);
    }
    ++next;
  }
  EXPECT_EQ(next, data["windows"].size());
  for (const json& name : manifest["channels"]) {
    EXPECT_THAT((std::vector<std::string>{"flow", kHeader, "load"}),
                ::testing::Contains(name.get<std::string>()));
  }
}

TEST(ReportSeries, neither_the_series_nor_its_model_is_needed_again) {
  const TemporaryFolder folder;
  write_series(folder);
  ASSERT_LE(make_run(folder, "--no-report").exit_code, 1);
  std::filesystem::remove(folder.file("plant.csv"));
  std::filesystem::remove(folder.file("run/model.safetensors"));
  const ToolResult made = run_tool(folder, "report run --out page.html");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_FALSE(report_of(folder, "page.html")["metrics"].is_null());
}

TEST(ReportSeries, damaged_files_are_named_and_nothing_is_written) {
  const TemporaryFolder folder;
  write_series(folder);
  ASSERT_LE(make_run(folder, "--no-report").exit_code, 1);
  for (const char* name :
       {"bank.npy", "bank_energies.npy", "outliers.npy", "metrics.json",
        "decoded/edits.json", "decoded/windows.npy"}) {
    const std::string path = folder.file(std::string("run/") + name);
    const std::string kept = read_bytes(path);
    std::ofstream(path) << "[1, 2]";
    const ToolResult made = run_tool(folder, "report run");
    EXPECT_EQ(made.exit_code, 3) << name << made.err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("run/report.html")));
    std::ofstream(path, std::ios::binary) << kept;
  }
  EXPECT_EQ(run_tool(folder, "report run").exit_code, 0);
}

}  // namespace report_series_test
}  // namespace sbog::testing_support
