// SPDX-License-Identifier: Apache-2.0
// sbog stress from the outside: the ways to give a model, exit codes, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace stress_test {

using ::testing::HasSubstr;
using ::testing::Not;

// A run on the built-in points, with a detector beside it.
void make_points(const TemporaryFolder& folder) {
  const ToolResult made = run_line(
      folder,
      "sbog generate demo:bank --labels demo:labels --count 20 --out run "
      "--no-report --quiet && sbog detect train demo:bank --labels demo:labels "
      "--score rmd --out m.safetensors --quiet");
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

TEST(Stress, the_examples_work_as_typed) {
  const TemporaryFolder folder;
  expect_examples_work(folder, "stress");
}

TEST(Stress, a_detector_is_tested_and_gates_are_the_exit_code) {
  const TemporaryFolder folder;
  make_points(folder);
  const ToolResult good = run_tool(
      folder, "stress run --model m.safetensors --require 'auroc >= 0.5'");
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("detector: detector of points"));
  EXPECT_THAT(good.out, HasSubstr("pass  auroc >= 0.5"));
  EXPECT_THAT(good.out, HasSubstr("stress.junit.xml in run"));
  for (const char* name : {"stress.json", "stress.csv", "stress.junit.xml"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.file("run") + "/" + name));
  }
  const ToolResult bad = run_tool(
      folder,
      "stress run --model m.safetensors --require 'auroc > 1' --json --quiet");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(bad.out)["gates"][0]["passed"], false);
}

TEST(Stress, answers_of_another_program_are_judged) {
  const TemporaryFolder folder;
  make_points(folder);
  const ToolResult result =
      run_tool(folder,
               "stress run --predictions run/outliers.npy "
               "--control-predictions demo:bank --task classifier --json "
               "--quiet");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["task"], "classifier");
  EXPECT_EQ(json["cases"], 60);
  EXPECT_EQ(json["controls"]["failures"]["of"], 600);
}

TEST(Stress, hostile_commands_end_in_a_sentence_and_leave_the_cases) {
  const TemporaryFolder folder;
  make_points(folder);
  const std::string outliers = read_bytes(folder.file("run") + "/outliers.npy");
  std::ofstream(folder.file("hang.sh")) << "sleep 600 & sleep 600\n";
  std::ofstream(folder.file("print.sh")) << "head -c 1000000000 /dev/zero\n";
  std::ofstream(folder.file("nan.sh")) << "printf 'nan\\n%.0s' $(seq 60) >$2\n";
  std::ofstream(folder.file("few.sh")) << "seq 59 >$2\n";
  std::ofstream(folder.file("wide.sh"))
      << "for i in $(seq 60); do echo 1,2,3; done >$2\n";
  for (const char* name : {"hang", "print", "nan", "few", "wide"}) {
    const ToolResult result = run_tool(
        folder, "stress run --timeout 2 --task detector --quiet --model 'sh " +
                    std::string(name) + ".sh {cases.csv} {out.csv}'");
    EXPECT_EQ(result.exit_code, 3) << name << result.err;
    EXPECT_EQ(told_lines(result.err), 1u) << name << result.err;
    EXPECT_THAT(result.err, HasSubstr("--model"));
    EXPECT_EQ(read_bytes(folder.file("run") + "/outliers.npy"), outliers);
    EXPECT_FALSE(std::filesystem::exists(folder.file("run") + "/stress.json"));
  }
}

TEST(Stress, wrong_use_is_exit_code_2_and_missing_files_are_3) {
  const TemporaryFolder folder;
  make_points(folder);
  for (const auto& [arguments, code] : std::vector<std::pair<std::string, int>>{
           {"stress run", 2},
           {"stress run --model 'python predict.py'", 2},
           {"stress run --model m.safetensors --require 'detektion > 1'", 2},
           {"stress run --model m.safetensors --out other", 2},
           {"stress demo:bank --model m.safetensors", 2},
           {"stress run --model none.safetensors", 3},
           {"stress none --model m.safetensors --out other", 3},
           {"stress run --model 'no-such-program {cases} {out}'", 3}}) {
    const ToolResult result = run_tool(folder, arguments + " --quiet");
    EXPECT_EQ(result.exit_code, code) << arguments << result.err;
  }
}

TEST(Stress, seeking_tells_its_rounds) {
  const TemporaryFolder folder;
  make_points(folder);
  const ToolResult result = run_tool(
      folder, "stress run --model m.safetensors --seek --budget 200 --quiet");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("round 1: expected loss"));
  EXPECT_THAT(result.out, HasSubstr("failures: "));
  EXPECT_TRUE(std::filesystem::exists(folder.file("run") + "/sought.npy"));
}

}  // namespace stress_test
}  // namespace sbog::testing_support
