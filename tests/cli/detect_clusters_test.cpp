// SPDX-License-Identifier: Apache-2.0
// sbog detect with the detectors carla and sbog.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace detect_clusters_test {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string train_line(const std::string& detector, const std::string& out) {
  return "detect train demo:series --width 40 --stride 8 --epochs 3 "
         "--detector " +
         detector + " --out " + out;
}

TEST(DetectClusters, are_trained_scored_and_recognised_by_their_files) {
  const TemporaryFolder folder;
  for (const std::string detector : {"carla", "sbog"}) {
    const ToolResult trained =
        run_tool(folder, train_line(detector, "m") + " --json --level 0.9");
    const json facts = json::parse(trained.out);
    EXPECT_EQ(trained.exit_code, facts["collapsed"].get<bool>() ? 1 : 0);
    EXPECT_EQ(facts["detector"], detector);
    EXPECT_EQ(facts["windows"], 145);
    EXPECT_EQ(facts["negatives"], 145);
    EXPECT_LE(facts["feasible_negatives"], 145);
    EXPECT_GE(facts["normal_classes"], 1);
    const ToolResult run = run_tool(folder,
                                    "detect score m demo:series-test --labels "
                                    "demo:series-labels --json --out s.npy "
                                    "--plot s.svg");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const json result = json::parse(run.out);
    EXPECT_EQ(result["detector"], detector);
    EXPECT_EQ(result["level"], 0.9);
    EXPECT_EQ(result["threshold"], facts["threshold"]);
    EXPECT_EQ(result["rows"], 600);
    EXPECT_TRUE(result["quality"].contains("average_precision"));
    for (const json& alarm : result["alarms"]) {
      EXPECT_FALSE(alarm.contains("channels"));
      EXPECT_FALSE(alarm.contains("views"));
    }
    const std::vector<double> scores =
        to_vector(read_npy(folder.file("s.npy")));
    ASSERT_EQ(scores.size(), 600u);
    for (const double score : scores) {
      EXPECT_GE(score, 0.0);
      EXPECT_LE(score, 1.0);
    }
    EXPECT_THAT(read_bytes(folder.file("s.svg")), HasSubstr("</svg>"));
  }
}

TEST(DetectClusters, carla_ranks_the_anomaly_of_the_embedded_series_first) {
  const TemporaryFolder folder;
  run_tool(folder,
           "detect train demo:series --width 50 --stride 4 --epochs 20 "
           "--detector carla --out m");
  const ToolResult run = run_tool(
      folder,
      "detect score m demo:series-test --labels demo:series-labels --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  // Many times the share of anomalous rows, which is chance.
  EXPECT_GT(json::parse(run.out)["quality"]["average_precision"],
            5.0 * 50.0 / 600.0);
}

TEST(DetectClusters, say_what_they_know_in_plain_lines) {
  const TemporaryFolder folder;
  const ToolResult carla = run_tool(folder, train_line("carla", "c"));
  EXPECT_THAT(carla.out, HasSubstr("1,200 rows of 4 channels, 145 windows"));
  EXPECT_THAT(carla.out, HasSubstr("145 windows with an injected anomaly"));
  EXPECT_THAT(carla.out, HasSubstr("the 0.99 quantile of the training rows"));
  const ToolResult sbog = run_tool(folder, train_line("sbog", "s"));
  EXPECT_THAT(sbog.out, HasSubstr("145 points outside of the windows"));
  // A low level, so that there are alarms.
  const ToolResult run =
      run_tool(folder, "detect score c demo:series-test --level 0.1");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("alarm: rows "));
  EXPECT_THAT(run.out, HasSubstr("which channels carry an alarm is not known"));
  EXPECT_THAT(run.out, Not(HasSubstr("views")));
}

TEST(DetectClusters, are_the_same_for_any_number_of_threads) {
  const TemporaryFolder folder;
  for (const std::string detector : {"carla", "sbog"}) {
    run_tool(folder, train_line(detector, "a") + " --threads 1");
    run_tool(folder, train_line(detector, "b") + " --threads 3");
    run_tool(folder, train_line(detector, "c") + " --seed 1");
    EXPECT_EQ(read_bytes(folder.file("a")), read_bytes(folder.file("b")));
    EXPECT_NE(read_bytes(folder.file("a")), read_bytes(folder.file("c")));
  }
}

TEST(DetectClusters, wrong_use_is_exit_2_in_one_sentence) {
  const TemporaryFolder folder;
  run_tool(folder, train_line("carla", "m"));
  std::ofstream(folder.file("two.csv")) << "a,b\n1,2\n3,4\n5,6\n";
  std::ofstream(folder.file("short.csv")) << "1,2,3,4\n5,6,7,8\n1,2,3,4\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {train_line("carla", "x") + " --causal", "--causal"},
      {train_line("sbog", "x") + " --joint-rows 5", "--joint-rows"},
      {train_line("sbog", "x") + " --level 1", "level"},
      {"detect train demo:series --out x --epochs 3", "--epochs"},
      {"detect train demo:series --out x --detector carla --epochs 0", "epoch"},
      {"detect train demo:series --out x --detector sbog --width 1190",
       "windows"},
      {"detect score m two.csv", "4 channels"},
      {"detect score m short.csv --time none", "window"},
      {"detect score m demo:series-test --level 2", "--level"}};
  for (const auto& [line, words] : cases) {
    const ToolResult run = run_tool(folder, line + " --quiet");
    EXPECT_EQ(run.exit_code, 2) << line << "\n" << run.err;
    EXPECT_THAT(run.err, ::testing::StartsWith("sbog: ")) << line;
    EXPECT_THAT(run.err, HasSubstr(words)) << line;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  }
  EXPECT_EQ(run_line(folder, "test -e x").exit_code, 1);
}

TEST(DetectClusters, bad_files_are_exit_3) {
  const TemporaryFolder folder;
  run_tool(folder, train_line("carla", "m"));
  const std::string model = read_bytes(folder.file("m"));
  std::ofstream(folder.file("cut"), std::ios::binary)
      << model.substr(0, model.size() - 8);
  std::string other = model;
  const std::size_t at = other.find("\"classes\":\"10\"");
  ASSERT_NE(at, std::string::npos);
  std::ofstream(folder.file("lies"), std::ios::binary)
      << other.replace(at, 14, "\"classes\":\"12\"");
  run_tool(folder,
           "train series demo:series --width 40 --stride 8 --epochs 1 --out e");
  for (const char* line :
       {"detect score cut demo:series-test", "detect score e demo:series-test",
        "detect score lies demo:series-test",
        "detect train demo:series --detector carla --out no/where"}) {
    const ToolResult run = run_tool(folder, line);
    EXPECT_EQ(run.exit_code, 3) << line << "\n" << run.err;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
  }
}

}  // namespace detect_clusters_test
}  // namespace sbog::testing_support
