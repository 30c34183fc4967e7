// SPDX-License-Identifier: Apache-2.0
// sbog evaluate from the outside: table, JSON, determinism, wrong use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace evaluate_test {

const char* const kPoints =
    "evaluate --bank demo:bank --outliers demo:outliers";
const char* const kAll =
    "evaluate --bank demo:bank --labels demo:labels --outliers demo:outliers "
    "--outlier-labels demo:outlier-labels --anchors demo:anchors";

nlohmann::json metric(const nlohmann::json& json, const std::string& name) {
  for (const nlohmann::json& entry : json["metrics"]) {
    if (entry["name"] == name) return entry;
  }
  ADD_FAILURE() << "no metric " << name;
  return {};
}

nlohmann::json evaluate_json(const TemporaryFolder& folder,
                             const std::string& arguments) {
  const ToolResult run = run_tool(folder, arguments + " --json --quiet");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return nlohmann::json::parse(run.out);
}

TEST(Evaluate, the_demo_outliers_are_wider_than_the_bank) {
  const TemporaryFolder folder;
  const nlohmann::json json = evaluate_json(folder, kAll);
  EXPECT_EQ(json["bank_rows"], 600);
  EXPECT_EQ(json["outlier_rows"], 60);
  EXPECT_EQ(json["dimension"], 4);
  EXPECT_GT(metric(json, "Gap")["value"].get<double>(), 0.0);
  EXPECT_GT(metric(json, "Accepted")["value"].get<double>(), 0.5);
  EXPECT_GT(metric(json, "Fidelity_1nn")["value"].get<double>(), 0.8);
  EXPECT_LT(metric(json, "FlipRate@256")["value"].get<double>(), 0.2);
  EXPECT_EQ(metric(json, "FlipRate@256")["direction"], "lower is better");
  EXPECT_EQ(json["purity"].size(), 3u);
}

TEST(Evaluate, the_bank_against_itself_is_at_no_distance) {
  const TemporaryFolder folder;
  const nlohmann::json json = evaluate_json(
      folder,
      "evaluate --bank demo:bank --outliers demo:bank --labels demo:labels "
      "--outlier-labels demo:labels");
  EXPECT_EQ(metric(json, "SW2")["value"], 0.0);
  EXPECT_LT(metric(json, "MMD2")["value"].get<double>(), 1e-12);
  EXPECT_EQ(metric(json, "Fidelity_1nn")["value"], 1.0);
  EXPECT_LT(metric(json, "Nearest_max")["value"].get<double>(), 1e-12);
}

TEST(Evaluate, what_is_missing_is_null_with_a_reason) {
  const TemporaryFolder folder;
  const nlohmann::json json = evaluate_json(folder, kPoints);
  EXPECT_TRUE(metric(json, "Purity")["value"].is_null());
  EXPECT_EQ(metric(json, "Purity")["reason"],
            "needs labels and source classes");
  EXPECT_FALSE(metric(json, "SW2").contains("reason"));
}

TEST(Evaluate, the_table_has_values_directions_meanings_and_reasons) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, std::string(kPoints) + " --all");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ::testing::HasSubstr("metric"));
  EXPECT_THAT(run.out, ::testing::ContainsRegex(
                           "Gap +0\\.[0-9]+ +higher is better +mean energy"));
  EXPECT_THAT(run.out, ::testing::HasSubstr("not computed"));
  EXPECT_THAT(run.out, ::testing::ContainsRegex(
                           "Purity +needs labels and source classes"));
}

TEST(Evaluate, five_metrics_are_shown_unless_all_are_asked_for) {
  const TemporaryFolder folder;
  const ToolResult run =
      run_tool(folder, std::string(kAll) + " --per-class --all");
  const ToolResult few = run_tool(folder, std::string(kAll) + " --per-class");
  const auto rows = [](const std::string& text) {
    std::size_t count = 0;
    for (const char* words :
         {" higher is better ", " lower is better ", " neutral "}) {
      for (std::size_t at = text.find(words); at != std::string::npos;
           at = text.find(words, at + 1)) {
        ++count;
      }
    }
    return count;
  };
  EXPECT_EQ(rows(few.out), 5u) << few.out;
  EXPECT_GT(rows(run.out), 15u) << run.out;
  EXPECT_THAT(few.out, ::testing::ContainsRegex("[0-9]+ more with --all"));
  // One line for the thresholds of three classes.
  EXPECT_THAT(few.out, ::testing::ContainsRegex(
                           "thresholds  0\\.[0-9]+ to 0\\.[0-9]+ \\(level 0.95 "
                           "of each of 3 classes"));
}

TEST(Evaluate, threads_do_not_change_a_byte_of_the_file) {
  const TemporaryFolder folder;
  for (const char* extra :
       {"", "--per-class", "--trim 0.08 --includes-self true",
        "--cost euclidean --epsilon 0.2", "--precision double --margin 0.04"}) {
    std::string first;
    for (const char* threads : {"1", "2", "7"}) {
      const ToolResult run =
          run_tool(folder, std::string(kAll) + " --out m.json --threads " +
                               threads + " " + extra);
      ASSERT_EQ(run.exit_code, 0) << run.err;
      const std::string bytes = read_bytes(folder.file("m.json"));
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << extra << " with " << threads;
    }
  }
}

TEST(Evaluate, the_file_has_what_json_prints) {
  const TemporaryFolder folder;
  const ToolResult run =
      run_tool(folder, std::string(kAll) + " --json --out m.json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_bytes(folder.file("m.json")), run.out);
}

TEST(Evaluate, settings_reach_the_energies) {
  const TemporaryFolder folder;
  const nlohmann::json plain = evaluate_json(folder, kAll);
  const nlohmann::json higher =
      evaluate_json(folder, std::string(kAll) + " --margin 0.5");
  EXPECT_NEAR(metric(higher, "Gap")["value"].get<double>(),
              metric(plain, "Gap")["value"].get<double>() - 0.5, 1e-9);
  EXPECT_EQ(higher["margin"], 0.5);
  EXPECT_EQ(
      evaluate_json(folder, std::string(kAll) + " --per-class")["thresholds"]
          .size(),
      3u);
  EXPECT_EQ(
      evaluate_json(folder, std::string(kAll) + " --quantile 0.5")["quantile"],
      0.5);
}

class EvaluateErrors : public ::testing::Test {
 protected:
  void SetUp() override {
    Matrix<float> wide(5, 7);
    for (float& x : wide.elements()) x = 1.0f;
    write_npy(folder.file("wide.npy"), wide.view());
    Matrix<float> none(0, 4);
    write_npy(folder.file("none.npy"), none.view());
  }
  void expect_refused(const std::string& arguments, int code,
                      const std::string& words) {
    const ToolResult run = run_tool(folder, arguments + " --out e.json");
    EXPECT_EQ(run.exit_code, code) << arguments << "\n" << run.err;
    EXPECT_THAT(run.err, ::testing::HasSubstr(words)) << arguments;
    EXPECT_THAT(run.err, ::testing::StartsWith("sbog: ")) << arguments;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_FALSE(std::filesystem::exists(folder.file("e.json"))) << arguments;
  }

  TemporaryFolder folder;
};

TEST_F(EvaluateErrors, wrong_use_is_told_in_one_sentence) {
  const std::string points = kPoints;
  expect_refused("evaluate --bank demo:bank", 2, "--outliers");
  expect_refused("evaluate --bank demo:bank --outliers wide.npy", 2,
                 "outliers: points of dimension 4");
  expect_refused("evaluate --bank demo:bank --outliers none.npy", 2,
                 "outliers: at least one row");
  expect_refused(points + " --labels demo:outlier-labels", 2,
                 "labels: 600 values are expected, got 60");
  expect_refused(points + " --per-class", 2, "--labels and --outlier-labels");
  expect_refused(points + " --anchors demo:anchors", 2, "--outlier-labels");
  expect_refused(points + " --epsilon 0", 2, "epsilon");
  expect_refused(points + " --quantile 2", 2, "(0, 1)");
  expect_refused(points + " --trim 1", 2, "[0, 1)");
  expect_refused(points + " --cost mahalanobis", 2, "--metric");
  expect_refused(points + " --cost manhattan", 2, "manhattan");
  expect_refused(points + " --calibration 0", 2, "--calibration");
  expect_refused("evaluate --bank demo:nothing --outliers demo:outliers", 2,
                 "demo:outlier-labels");
}

TEST_F(EvaluateErrors, files_that_are_not_there_are_named) {
  expect_refused("evaluate --bank nothing.npy --outliers demo:outliers", 3,
                 "nothing.npy");
  const ToolResult run =
      run_tool(folder, std::string(kPoints) + " --out missing/m.json");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, ::testing::HasSubstr("folder does not exist"));
  const ToolResult on_folder =
      run_tool(folder, std::string(kPoints) + " --out .");
  EXPECT_EQ(on_folder.exit_code, 3);
  EXPECT_THAT(on_folder.err, ::testing::HasSubstr("it is a folder"));
}

// A small run in folder/run.
void make_run(const TemporaryFolder& folder, const std::string& extra = "") {
  const ToolResult run =
      run_tool(folder,
               "generate demo:bank --labels demo:labels --count 15 --out run "
               "--quiet " +
                   extra);
  ASSERT_EQ(run.exit_code, 0) << run.err;
}

TEST(EvaluateRun, takes_margins_from_the_run_and_probes_its_anchors) {
  const TemporaryFolder folder;
  make_run(folder);
  const nlohmann::json json = evaluate_json(folder, "evaluate run");
  CsvOptions csv;
  csv.columns = {"margin"};
  const CsvTable table = read_csv(folder.file("run/outliers.csv"), csv);
  ASSERT_EQ(table.values.rows(), 45u);
  double sum = 0.0;
  for (std::size_t i = 0; i < 45; ++i) sum += table.values(i, 0);
  EXPECT_NEAR(metric(json, "Gap")["value"].get<double>(), sum / 45, 1e-12);
  EXPECT_EQ(metric(json, "Accepted")["value"], 1.0);
  for (const char* name : {"Fill_A", "Fill_n", "Pass", "Delta_all",
                           "Token_cosine", "Fidelity_1nn"}) {
    ASSERT_TRUE(metric(json, name)["value"].is_number()) << name;
    EXPECT_GT(metric(json, name)["value"].get<double>(), 0.0) << name;
  }
  EXPECT_LE(metric(json, "Fill_A")["value"].get<double>(), 1.0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("run/metrics.json")));
}

TEST(EvaluateRun, threads_do_not_change_a_metric) {
  const TemporaryFolder folder;
  make_run(folder, "--profile paper-image --local 20 --quantile 0.8");
  nlohmann::json expected;
  for (const char* threads : {"1", "2", "7"}) {
    const nlohmann::json json =
        evaluate_json(folder, std::string("evaluate run --threads ") + threads);
    if (expected.is_null()) expected = json["metrics"];
    EXPECT_EQ(json["metrics"], expected) << threads;
  }
}

TEST(EvaluateRun, rivals_without_anchors_say_what_is_missing) {
  const TemporaryFolder folder;
  make_run(folder, "--rule vos");
  const nlohmann::json json = evaluate_json(folder, "evaluate run");
  EXPECT_TRUE(metric(json, "Fill_A")["value"].is_null());
  EXPECT_NE(metric(json, "Fill_A")["reason"], "");
  EXPECT_TRUE(metric(json, "Gap")["value"].is_number());
}

TEST(EvaluateRun, what_cannot_be_evaluated_is_told_in_one_sentence) {
  const TemporaryFolder folder;
  make_run(folder);
  const auto expect = [&](const std::string& arguments, int code,
                          const std::string& part) {
    const ToolResult run = run_tool(folder, arguments);
    EXPECT_EQ(run.exit_code, code) << arguments;
    EXPECT_THAT(run.err, ::testing::HasSubstr(part)) << arguments;
    EXPECT_EQ(told_lines(run.err), 1u);
  };
  expect("evaluate", 2, "RUN folder, or --bank and --outliers");
  expect("evaluate nowhere", 3, "holds no run");
  expect("evaluate run --outliers demo:outliers", 2, "its own settings");
  expect("evaluate run --epsilon 0.1", 2, "--epsilon");
  expect("evaluate run --bank demo:outliers", 2, "labels");
  // A bank that is not the run's.
  Matrix<float> other(600, 4);
  for (std::size_t i = 0; i < 600; ++i) other(i, i % 4) = 1.0f;
  write_npy(folder.file("other.npy"), std::as_const(other).view());
  expect("evaluate run --bank other.npy", 3, "is not what the run");
  std::filesystem::copy(folder.file("run"), folder.file("half"));
  nlohmann::json manifest =
      nlohmann::json::parse(read_bytes(folder.file("half/manifest.json")));
  manifest["state"] = "running";
  write_file_atomically(folder.file("half/manifest.json"), manifest.dump());
  expect("evaluate half", 3, "unfinished");
  write_file_atomically(folder.file("half/manifest.json"), "[]");
  expect("evaluate half", 3, "manifest");
}

}  // namespace evaluate_test
}  // namespace sbog::testing_support
