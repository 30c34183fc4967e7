// SPDX-License-Identifier: Apache-2.0
// sbog detect on points: what is printed, written and refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace point_results_test {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kTrainPoints =
    "detect train demo:bank --labels demo:labels --out m.safetensors --epochs "
    "2";

TEST(PointResults, training_tells_scores_bank_and_threshold) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, kTrainPoints);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("m.safetensors: the mean of head, rmd and "
                                 "mean on a bank of 480 points of 4 numbers, 3 "
                                 "classes"));
  EXPECT_THAT(run.out, HasSubstr("the head was shown 1,050,000 outliers"));
  EXPECT_THAT(run.out, HasSubstr("by 120 rows that were held out"));
}

TEST(PointResults, verdicts_name_class_features_and_near_items) {
  const TemporaryFolder folder;
  {
    std::ofstream items(folder.file("items.txt"));
    for (int i = 0; i < 600; ++i) {
      items << "question " << i << std::string(80, 'x') << "\n";
    }
    std::ofstream(folder.file("names.txt")) << "red\ngreen\nblue\n";
  }
  ASSERT_EQ(run_tool(folder, std::string(kTrainPoints) +
                                 " --items items.txt --class-names names.txt")
                .exit_code,
            0);
  const ToolResult run = run_tool(
      folder, "detect score m.safetensors demo:queries --top 2 --out s.csv");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ::testing::ContainsRegex(
                           "row [0-9] is unusual: score [0-9.]+, p-value "
                           "0[.][0-9]+; nearest class (red|green|blue); "
                           "features [0-3] "));
  EXPECT_THAT(run.out,
              ::testing::ContainsRegex(
                  "  near to row [0-9]+ of the bank [(]cosine 0[.][0-9]+, "
                  "class (red|green|blue)[)]: question [0-9]+x+[.][.][.]"));
  EXPECT_THAT(run.out, HasSubstr("more unusual rows\n"));
  EXPECT_THAT(run.out, HasSubstr(" of 9 rows are unusual (score above "));
  EXPECT_THAT(read_bytes(folder.file("s.csv")),
              HasSubstr("row,score,threshold,p_value,unusual,class,near_1,"
                        "item_1,near_2,item_2,near_3,item_3\n"));
}

TEST(PointResults, rows_of_something_else_and_classes_are_compared) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, kTrainPoints).exit_code, 0);
  const std::string line =
      "detect score m.safetensors demo:bank --labels demo:labels --outside "
      "demo:outliers --top 0";
  const ToolResult run = run_tool(folder, line);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("the nearest class is the class of the row"));
  EXPECT_THAT(run.out, HasSubstr("60 rows of demo:outliers: "));
  const json result = json::parse(run_tool(folder, line + " --json").out);
  EXPECT_EQ(result["kind"], "latent");
  EXPECT_EQ(result["rows"], 600);
  EXPECT_GT(result["outside"]["auroc"], 0.8);
}

TEST(PointResults, json_of_a_training_is_machine_readable) {
  const TemporaryFolder folder;
  const ToolResult run =
      run_tool(folder, "detect train demo:bank --out m --score knn --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["scores"], json::array({"knn"}));
  EXPECT_EQ(result["classes"], 1);
}

TEST(PointResults, wrong_use_is_one_sentence) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, kTrainPoints).exit_code, 0);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"detect train demo:bank --out x --score head", "--labels"},
      {"detect train demo:bank --out x --score magic", "--score"},
      {"detect train demo:bank --out x --time none", "for series only"},
      {"detect train demo:bank --out x --held-out 0", "held-out share"},
      {"detect score m.safetensors demo:series-labels",
       "rows of 4 numbers are expected, as in the bank"},
      {"detect score m.safetensors demo:queries --level 2", "--level"},
      {"detect score m.safetensors demo:queries --gap 2", "for series only"}};
  for (const auto& [words, hint] : cases) {
    const ToolResult run = run_tool(folder, words);
    EXPECT_EQ(run.exit_code, 2) << words;
    EXPECT_THAT(run.err, HasSubstr(hint)) << words;
    EXPECT_TRUE(run.out.empty()) << words;
  }
  EXPECT_EQ(run_tool(folder, "detect train absent.npy --labels y.npy --out x")
                .exit_code,
            3);
  EXPECT_EQ(
      run_tool(folder, "detect score m.safetensors demo:queries --out no/s.csv")
          .exit_code,
      3);
}

}  // namespace point_results_test
}  // namespace sbog::testing_support
