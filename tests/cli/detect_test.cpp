// SPDX-License-Identifier: Apache-2.0
// sbog detect: train, score, alarms, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace detect_test {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kTrain =
    "detect train demo:series --out m.safetensors --quiet";

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Waves with times; channel b is off from row 150 to 169 when asked for.
std::string wave_table(int rows, bool is_bad) {
  std::ostringstream text;
  text << "time,a,b\n";
  for (int t = 0; t < rows; ++t) {
    const double a = std::sin(0.3 * t) + 0.01 * (t * 7919 % 13);
    double b = std::cos(0.2 * t) + 0.01 * (t * 104729 % 11);
    if (is_bad && t >= 150 && t < 170) b += 4.0;
    text << 1000 + 10 * t << "," << a << "," << b << "\n";
  }
  return text.str();
}

TEST(Detect, the_examples_of_its_help_pages_work_as_typed) {
  const TemporaryFolder folder;
  for (const char* page : {"detect", "detect train", "detect score"}) {
    expect_examples_work(folder, page);
  }
}

TEST(Detect, finds_the_anomaly_of_the_embedded_series_and_its_channel) {
  const TemporaryFolder folder;
  for (const char* kind : {"views", "channel", "views-batch"}) {
    ASSERT_EQ(
        run_tool(folder, std::string(kTrain) + " --detector " + kind).exit_code,
        0);
    const ToolResult run =
        run_tool(folder,
                 "detect score m.safetensors demo:series-test --labels "
                 "demo:series-labels --json");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const json result = json::parse(run.out);
    EXPECT_EQ(result["detector"], kind);
    // Many times the share of anomalous rows, which is chance.
    EXPECT_GT(result["quality"]["average_precision"], 5.0 * 50.0 / 600.0)
        << kind;
    json strongest;
    for (const json& alarm : result["alarms"]) {
      if (strongest.is_null() || alarm["score"] > strongest["score"]) {
        strongest = alarm;
      }
      double views = 0.0;
      double channels = 0.0;
      for (const auto& share : alarm["views"]) views += share.get<double>();
      for (const auto& share : alarm["channels"]) {
        channels += share.get<double>();
      }
      EXPECT_NEAR(views, 1.0, 1e-9);
      EXPECT_NEAR(channels, 1.0, 1e-9);
    }
    ASSERT_FALSE(strongest.is_null());
    EXPECT_GE(strongest["peak"], 340);
    EXPECT_LT(strongest["peak"], 410);
    EXPECT_GT(strongest["channels"]["2"], 0.5) << kind;
  }
}

TEST(Detect, speaks_in_plain_lines) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, kTrain).exit_code, 0);
  const ToolResult run =
      run_tool(folder,
               "detect score m.safetensors demo:series-test --labels "
               "demo:series-labels");
  EXPECT_THAT(run.out, HasSubstr("alarm: rows "));
  EXPECT_THAT(run.out, HasSubstr("channels 2 "));
  EXPECT_THAT(run.out, HasSubstr("above the threshold"));
  EXPECT_THAT(run.out, HasSubstr("average precision"));
}

TEST(Detect, reads_tables_with_times_and_writes_both_forms) {
  const TemporaryFolder folder;
  write_text(folder.file("train.csv"), wave_table(400, false));
  write_text(folder.file("test.csv"), wave_table(300, true));
  ASSERT_EQ(
      run_tool(folder, "detect train train.csv --out m --causal").exit_code, 0);
  const ToolResult run =
      run_tool(folder, "detect score m test.csv --out s.csv");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" (2500 to "));  // row 150
  ASSERT_EQ(run_tool(folder, "detect score m test.csv --out s.npy").exit_code,
            0);
  const CsvTable table = read_csv(folder.file("s.csv"));
  EXPECT_THAT(table.header, ::testing::ElementsAre("row", "time", "score",
                                                   "threshold", "alarm"));
  const std::vector<double> scores = to_vector(read_npy(folder.file("s.npy")));
  ASSERT_EQ(scores.size(), 300u);
  for (std::size_t t = 0; t < 300; ++t) {
    EXPECT_EQ(table.values(t, 2), scores[t]);
    EXPECT_EQ(table.values(t, 4), scores[t] > table.values(t, 3) ? 1.0 : 0.0);
  }
}

TEST(Detect, plots_scores_with_times_and_labels) {
  const TemporaryFolder folder;
  std::string train = wave_table(400, false);
  std::string test = wave_table(300, true);
  train.replace(0, 8, "time,<i>,b");
  test.replace(0, 8, "time,<i>,b");
  write_text(folder.file("train.csv"), train);
  write_text(folder.file("<b>.csv"), test);
  ASSERT_EQ(run_tool(folder, "detect train train.csv --out m").exit_code, 0);
  ASSERT_EQ(run_tool(folder, "detect score m '<b>.csv' --plot s.svg").exit_code,
            0);
  const std::string svg = read_bytes(folder.file("s.svg"));
  EXPECT_THAT(svg, HasSubstr("Scores of &lt;b&gt;.csv: 1 alarm in 300 rows"));
  EXPECT_THAT(svg, HasSubstr("class=\"alarm\""));
  EXPECT_THAT(svg, HasSubstr(">1500<"));  // the time of row 50
  EXPECT_EQ(
      run_tool(folder, "detect score m '<b>.csv' --plot no/s.svg").exit_code,
      3);
}

TEST(Detect, is_the_same_for_any_number_of_threads) {
  const TemporaryFolder folder;
  for (const char* threads : {"1", "3"}) {
    const std::string end = std::string(" --threads ") + threads;
    ASSERT_EQ(run_tool(folder, std::string("detect train demo:series --out m") +
                                   threads + end)
                  .exit_code,
              0);
    ASSERT_EQ(run_tool(folder, std::string("detect score m") + threads +
                                   " demo:series-test --out s" + threads +
                                   ".npy" + end)
                  .exit_code,
              0);
  }
  EXPECT_EQ(read_bytes(folder.file("m1")), read_bytes(folder.file("m3")));
  EXPECT_EQ(read_bytes(folder.file("s1.npy")),
            read_bytes(folder.file("s3.npy")));
}

TEST(Detect, drift_is_warned_of_and_recalibration_follows_it) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, kTrain).exit_code, 0);
  std::ostringstream text;
  for (int t = 0; t < 600; ++t) text << "0.5,3,0.5,9." << t % 7 << "\n";
  write_text(folder.file("drift.csv"), text.str());
  const ToolResult run =
      run_tool(folder, "detect score m.safetensors drift.csv --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("warning:"));
  EXPECT_THAT(run.err, HasSubstr("drift"));
  const ToolResult rolling = run_tool(
      folder, "detect score m.safetensors drift.csv --json --recalibrate 200");
  EXPECT_LT(json::parse(rolling.out)["flagged_share"],
            json::parse(run.out)["flagged_share"]);
}

TEST(Detect, the_level_can_be_changed_when_scoring) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, kTrain).exit_code, 0);
  const auto threshold = [&](const std::string& level) {
    const ToolResult run = run_tool(
        folder, "detect score m.safetensors demo:series-test --json" + level);
    return json::parse(run.out)["threshold"].get<double>();
  };
  EXPECT_LT(threshold(" --level 0.5"), threshold(""));
}

TEST(Detect, what_was_mended_is_told) {
  const TemporaryFolder folder;
  std::string table = wave_table(200, false);
  table += "9000,,1\n";
  write_text(folder.file("t.csv"), table);
  const ToolResult run = run_tool(folder, "detect train t.csv --out m");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 missing value"));
  EXPECT_THAT(run.err, HasSubstr("1 gap"));
}

TEST(Detect, wrong_use_is_exit_2) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, kTrain).exit_code, 0);
  write_text(folder.file("short.csv"), wave_table(20, false));
  write_text(folder.file("labels.csv"), "0\n1\n");
  for (const char* line :
       {"detect", "detect train demo:series",
        "detect train demo:series --out x --detector magic",
        "detect train demo:series --out x --level 1",
        "detect train demo:series --out x --detector views-batch --causal",
        "detect train short.csv --out x", "detect train demo:none --out x",
        "detect train short.csv --out x --time when",
        "detect score m.safetensors",
        "detect score m.safetensors demo:series-test --level 0",
        "detect score m.safetensors short.csv",
        "detect score m.safetensors demo:series-test --labels labels.csv"}) {
    const ToolResult run = run_tool(folder, line);
    EXPECT_EQ(run.exit_code, 2) << line << "\n" << run.err;
    EXPECT_THAT(run.err, ::testing::StartsWith("sbog: ")) << line;
  }
}

TEST(Detect, other_channels_than_in_training_are_refused_by_name) {
  const TemporaryFolder folder;
  write_text(folder.file("a.csv"), wave_table(100, false));
  std::string other = wave_table(100, false);
  other.replace(0, 8, "time,a,c");
  write_text(folder.file("b.csv"), other);
  ASSERT_EQ(run_tool(folder, "detect train a.csv --out m").exit_code, 0);
  const ToolResult run = run_tool(folder, "detect score m b.csv");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("'c'"));
}

TEST(Detect, bad_files_are_exit_3) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, kTrain).exit_code, 0);
  const std::string model = read_bytes(folder.file("m.safetensors"));
  write_text(folder.file("cut"), model.substr(0, model.size() - 8));
  // A NaN where the first training value was: the header ends at 8 + its size.
  std::string poisoned = model;
  std::size_t header = 0;
  for (int i = 7; i >= 0; --i) {
    header = 256 * header + static_cast<unsigned char>(model[i]);
  }
  poisoned.replace(8 + header, 4, "\xFF\xFF\xFF\xFF");
  write_text(folder.file("poisoned"), poisoned);
  write_text(folder.file("text.csv"), "a,b\n1,2\n3,four\n");
  write_text(folder.file("ragged.csv"), "a,b\n1,2\n3\n");
  for (const char* line :
       {"detect score cut demo:series-test",
        "detect score poisoned demo:series-test",
        "detect score text.csv demo:series-test",
        "detect score absent demo:series-test",
        "detect score m.safetensors absent.csv",
        "detect score m.safetensors text.csv",
        "detect score m.safetensors demo:series-test --out no/where.npy",
        "detect train text.csv --out x", "detect train ragged.csv --out x",
        "detect train demo:series --out no/where"}) {
    const ToolResult run = run_tool(folder, line);
    EXPECT_EQ(run.exit_code, 3) << line << "\n" << run.err;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  }
}

}  // namespace detect_test
}  // namespace sbog::testing_support
