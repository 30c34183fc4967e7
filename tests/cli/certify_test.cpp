// SPDX-License-Identifier: Apache-2.0
// sbog certify from the outside: banks, runs, outliers from elsewhere, words,
// determinism and wrong use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/tool.h"
#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/data/csv.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace certify_test {

using ::testing::HasSubstr;

nlohmann::json certify_json(const TemporaryFolder& folder,
                            const std::string& arguments) {
  const ToolResult run =
      run_tool(folder, "certify " + arguments + " --json --quiet");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return nlohmann::json::parse(run.out);
}

TEST(Certify, a_small_bank_cannot_promise_much_and_says_what_would) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(
      folder, "certify demo:bank --epsilon 0.05 --quantile 0.9 --quiet");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("With 300 reference points"));
  EXPECT_THAT(run.out, HasSubstr("at most 10 %"));
  EXPECT_THAT(run.out, HasSubstr("Hoeffding"));
  EXPECT_THAT(run.out, HasSubstr("Vacuous"));
}

// Many points around one direction, so that decisions become certain.
void write_bank(const TemporaryFolder& folder, std::size_t rows) {
  Matrix<float> bank(rows, 3);
  const PhiloxStream stream(5, 0, 0, 0);
  std::vector<double> xi(3);
  for (std::size_t i = 0; i < rows; ++i) {
    stream.normals(static_cast<std::uint32_t>(i), std::span<double>(xi));
    for (std::size_t k = 0; k < 3; ++k) {
      bank(i, k) = static_cast<float>((k == 0 ? 1.0 : 0.0) + 0.2 * xi[k]);
    }
  }
  write_npy(folder.file("bank.npy"), std::as_const(bank).view());
  Matrix<float> far(2, 3);
  far(0, 0) = 1.0f;   // in the middle of the bank
  far(1, 1) = -1.0f;  // far from it
  write_npy(folder.file("far.npy"), std::as_const(far).view());
}

TEST(Certify, many_points_decide_clear_cases) {
  const TemporaryFolder folder;
  write_bank(folder, 20000);
  const nlohmann::json json = certify_json(
      folder, "bank.npy --outliers far.npy --epsilon 0.1 --table t.csv");
  EXPECT_EQ(json["certified"], true);
  EXPECT_EQ(json["pool"], 2.0);
  EXPECT_EQ(json["totals"]["certified_accept"], 1);
  EXPECT_EQ(json["totals"]["certified_reject"], 1);
  EXPECT_EQ(json["classes"][0]["reference"], 10000);
  CsvOptions csv;
  csv.columns = {"energy", "energy_low", "energy_high", "p_value"};
  const CsvTable table = read_csv(folder.file("t.csv"), csv);
  ASSERT_EQ(table.values.rows(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(table.values(i, 1), table.values(i, 0));
    EXPECT_GE(table.values(i, 2), table.values(i, 0));
  }
  EXPECT_GT(table.values(0, 3), 0.5);
  EXPECT_NEAR(table.values(1, 3), 1.0 / 10001, 1e-9);
}

TEST(Certify, a_run_with_a_split_bank_is_certified_and_flags_its_rows) {
  const TemporaryFolder folder;
  const ToolResult made = run_tool(
      folder,
      "generate demo:bank --labels demo:labels --count 20 --certify true "
      "--quantile 0.8 --out run --quiet");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const nlohmann::json json = certify_json(folder, "run");
  EXPECT_EQ(json["certified"], true);
  EXPECT_EQ(json["totals"]["outliers"], 60);
  EXPECT_EQ(json["totals"]["accepted"], 60);
  EXPECT_EQ(json["pool"], 20.0 * 64 * 48 * 3);
  EXPECT_TRUE(std::filesystem::exists(folder.file("run/certificate.json")));
  CsvOptions csv;
  csv.columns = {"p_value", "certified"};
  const CsvTable table = read_csv(folder.file("run/outliers.csv"), csv);
  double certified = 0.0;
  for (std::size_t i = 0; i < table.values.rows(); ++i) {
    EXPECT_GT(table.values(i, 0), 0.0);
    EXPECT_LE(table.values(i, 0), 0.21);  // above the 80 % threshold
    certified += table.values(i, 1);
  }
  EXPECT_EQ(certified, json["totals"]["certified_accept"].get<double>());
}

TEST(Certify, a_run_on_the_whole_bank_is_only_a_heuristic) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool(folder, "generate demo:bank --count 20 --out run --quiet")
                .exit_code,
            0);
  const nlohmann::json json = certify_json(folder, "run");
  EXPECT_EQ(json["certified"], false);
  EXPECT_NE(json["caveat"], "");
}

TEST(Certify, threads_change_nothing) {
  const TemporaryFolder folder;
  nlohmann::json expected;
  for (const char* threads : {"1", "2", "7"}) {
    const nlohmann::json json = certify_json(
        folder, std::string("demo:bank --labels demo:labels --quantile 0.9 "
                            "--threads ") +
                    threads);
    if (expected.is_null()) expected = json;
    EXPECT_EQ(json, expected) << threads;
  }
}

TEST(Certify, wrong_use_is_told_in_one_sentence) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& arguments, int code,
                          const std::string& part) {
    const ToolResult run = run_tool(folder, "certify " + arguments);
    EXPECT_EQ(run.exit_code, code) << arguments << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(part)) << arguments;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
    EXPECT_EQ(run.out, "");
  };
  expect("nothing.npy", 3, "nothing.npy");
  expect("demo:bank --delta 0", 2, "--delta");
  expect("demo:bank --delta nan", 2, "--delta");
  expect("demo:bank --epsilon 0", 2, "epsilon");
  expect("demo:bank --bank x.npy", 2, "--bank");
  expect("demo:bank --outlier-labels demo:labels", 2, "--labels");
  expect("demo:bank --labels demo:outlier-labels", 2, "labels");
  expect("demo:bank --quantile 0.999", 2, "too few");
  expect(". --epsilon 0.1", 2, "its own settings");
  expect(".", 3, "holds no run");
}

}  // namespace certify_test
}  // namespace sbog::testing_support
