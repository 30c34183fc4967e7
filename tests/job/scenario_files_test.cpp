// SPDX-License-Identifier: Apache-2.0
// The files of a run on a series fit together.
#include "sbog/job/scenario_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "oracle/temporary_folder.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace scenario_files_test {

using ::testing::HasSubstr;

Series waves() {
  Series series;
  series.name = "waves";
  series.channels = {"a", "b,c"};
  series.values = Matrix<double>(6, 2);
  for (std::size_t t = 0; t < 6; ++t) {
    series.values(t, 0) = static_cast<double>(t % 3);
    series.values(t, 1) = -static_cast<double>(t);
    series.times.push_back("t" + std::to_string(t));
  }
  return series;
}

series::Scenario scenario(std::size_t index, double level) {
  series::Scenario s;
  s.index = index;
  s.status = series::ScenarioStatus::kReached;
  s.anchor_start = 1;
  s.source = Matrix<double>(4, 2);
  s.window = Matrix<double>(4, 2);
  std::fill_n(s.source.data(), 8, 0.5);
  std::fill_n(s.window.data(), 8, level);
  s.source_point = {1.0, 0.0, 0.0};
  s.point = {0.0, level, 0.0};
  s.energy = 0.3;
  series::RealisedEdit edit;
  edit.edit.kind = series::EditKind::kLevel;
  edit.edit.channel = 1;
  edit.effect.last = 3;
  edit.deviation = 1.0;
  s.edits = {edit};
  s.sentence = "b,c is higher.";
  return s;
}

TEST(ScenarioFiles, kept_windows_and_the_table_of_all) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary.file("run"), "", 1, false);
  series::ScenarioRun run;
  for (std::size_t i = 0; i < 3; ++i) {
    run.scenarios.push_back(scenario(i, 2.0 + static_cast<double>(i)));
  }
  run.diagnostics.threshold = 0.1;
  run.diagnostics.kept = 2;
  job::write_scenario_files(folder, run, {true, false, true}, waves(), "", 1);
  const Array windows = read_npy(folder.file("decoded/windows.npy"));
  ASSERT_EQ(windows.shape(), (std::vector<std::size_t>{2, 4, 2}));
  EXPECT_EQ(reinterpret_cast<const double*>(windows.bytes())[8], 4.0);
  EXPECT_EQ(read_npy(folder.file("decoded/sources.npy")).shape(),
            windows.shape());
  EXPECT_EQ(read_npy(folder.file("outliers.npy")).shape(),
            (std::vector<std::size_t>{2, 3}));
  const std::string table = read_bytes(folder.file("outliers.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
  EXPECT_THAT(table, HasSubstr(",level,\"b,c\","));
  const nlohmann::json edits =
      nlohmann::json::parse(read_bytes(folder.file("decoded/edits.json")));
  ASSERT_EQ(edits.size(), 3u);
  EXPECT_EQ(edits[2]["window"], 1);
  EXPECT_EQ(edits[2]["times"][1], "t4");
  EXPECT_FALSE(edits[1].contains("window"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("decoded/window-000.svg")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("decoded/window-001.svg")));
}

TEST(ScenarioFiles, ranges_are_those_of_the_recording) {
  EXPECT_THAT(
      job::channel_ranges(waves()),
      ::testing::ElementsAre(std::pair(0.0, 2.0), std::pair(-5.0, 0.0)));
}

}  // namespace scenario_files_test
}  // namespace sbog::testing_support
