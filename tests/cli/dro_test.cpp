// SPDX-License-Identifier: Apache-2.0
// sbog dro from the outside: a closed form, the curve, the law, wrong use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "sbog/base/matrix.h"
#include "sbog/data/array.h"
#include "sbog/data/npy.h"

namespace sbog::testing_support {
namespace dro_test {

using ::testing::HasSubstr;

nlohmann::json dro_json(const TemporaryFolder& folder,
                        const std::string& arguments) {
  const ToolResult run =
      run_tool(folder, "dro " + arguments + " --json --quiet");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return nlohmann::json::parse(run.out);
}

void write_row(const TemporaryFolder& folder, const std::string& name,
               const std::vector<double>& values) {
  write_npy(folder.file(name), std::span<const double>(values));
}

TEST(Dro, two_points_have_a_closed_form) {
  // Points 0 and 1 with cost |x - y|, the nominal one at 0, losses 0 and 1.
  const TemporaryFolder folder;
  Matrix<double> costs(1, 2);
  costs(0, 1) = 1.0;
  write_npy(folder.file("costs.npy"), std::as_const(costs).view());
  write_row(folder, "losses.npy", {0.0, 1.0});
  const nlohmann::json json = dro_json(
      folder,
      "--bank costs.npy --losses losses.npy --cost precomputed --epsilon 0.5 "
      "--radius 0.1 --out law.npy");
  ASSERT_EQ(json.size(), 1u);
  const double value = json[0]["value"].get<double>();
  EXPECT_NEAR(value, 0.364524551405677, 1e-12);
  EXPECT_NEAR(json[0]["lambda"].get<double>(), 1.38483013553776, 1e-10);
  EXPECT_LE(std::abs(json[0]["duality_gap"].get<double>()), 1e-10);
  EXPECT_EQ(json[0]["case"], "interior");
  const auto law = to_matrix<double>(read_npy(folder.file("law.npy")));
  EXPECT_NEAR(law.view()(0, 0) + law.view()(0, 1), 1.0, 1e-12);
  EXPECT_NEAR(law.view()(0, 1), value, 1e-10);
}

TEST(Dro, a_curve_rises_from_the_nominal_to_the_largest_loss) {
  const TemporaryFolder folder;
  const nlohmann::json json = dro_json(
      folder,
      "--bank demo:bank --losses demo:losses --radius 0,0.001,0.01,0.1,1000");
  ASSERT_EQ(json.size(), 5u);
  EXPECT_EQ(json[0]["case"], "nominal");
  EXPECT_EQ(json[4]["case"], "saturated");
  EXPECT_NEAR(json[0]["value"].get<double>(),
              json[0]["nominal_value"].get<double>(), 1e-12);
  EXPECT_NEAR(json[4]["value"].get<double>(),
              json[4]["essential_supremum"].get<double>(), 1e-12);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_GT(json[i]["value"].get<double>(),
              json[i - 1]["value"].get<double>());
  }
  EXPECT_EQ(json[1]["carriers"].size(), 5u);
}

TEST(Dro, threads_change_nothing) {
  const TemporaryFolder folder;
  std::string expected;
  for (const char* threads : {"1", "2", "7"}) {
    const ToolResult run = run_tool(
        folder, std::string("dro --bank demo:bank --losses demo:losses "
                            "--radius 0.01,0.1 --json --quiet --threads ") +
                    threads);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    if (expected.empty()) expected = run.out;
    EXPECT_EQ(run.out, expected) << threads;
  }
}

TEST(Dro, odd_losses_have_their_documented_cases) {
  const TemporaryFolder folder;
  write_row(folder, "same.npy", std::vector<double>(600, 2.5));
  EXPECT_EQ(
      dro_json(folder,
               "--bank demo:bank --losses same.npy --radius 1")[0]["case"],
      "constant");
  std::vector<double> losses(600, 1.0);
  losses[3] = std::numeric_limits<double>::infinity();
  write_row(folder, "inf.npy", losses);
  const nlohmann::json infinite =
      dro_json(folder, "--bank demo:bank --losses inf.npy --radius 1");
  EXPECT_EQ(infinite[0]["case"], "plus-infinity");
  EXPECT_EQ(infinite[0]["value"], "inf");
}

TEST(Dro, wrong_use_is_told_in_one_sentence) {
  const TemporaryFolder folder;
  write_row(folder, "few.npy", {1.0, 2.0});
  write_row(folder, "nan.npy", std::vector<double>(600, std::nan("")));
  const auto expect = [&](const std::string& arguments, int code,
                          const std::string& part) {
    const ToolResult run = run_tool(folder, "dro --out law.npy " + arguments);
    EXPECT_EQ(run.exit_code, code) << arguments << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(part)) << arguments;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("law.npy")));
  };
  const std::string good = "--bank demo:bank --losses demo:losses ";
  expect(good, 2, "--radius");
  expect(good + "--radius=-1", 2, "--radius");
  expect(good + "--radius nan", 2, "--radius");
  expect(good + "--radius 1 --epsilon 0", 2, "epsilon");
  expect(good + "--radius 1 --cost manhattan", 2, "manhattan");
  expect("--bank demo:bank --losses few.npy --radius 1", 2, "losses");
  expect("--bank demo:bank --losses nan.npy --radius 1", 2, "losses");
  expect("--bank no.npy --losses demo:losses --radius 1", 3, "no.npy");
  expect(good + "--radius 0.0001 --unnormalised", 2, "empty");
}

}  // namespace dro_test
}  // namespace sbog::testing_support
