// SPDX-License-Identifier: Apache-2.0
// The demo, as typed by somebody who has nothing yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace demo_test {

TEST(Demo, separates_ordinary_points_from_the_others) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "demo --kind latent --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  const auto energies = json["query_energies"].get<std::vector<double>>();
  ASSERT_EQ(energies.size(), 9u);
  EXPECT_EQ(json["report"], "sbog-demo/latent/report.html");
  EXPECT_THAT(read_bytes(folder.file("sbog-demo/latent/report.html")),
              ::testing::HasSubstr("150 outliers from"));
  const double threshold = json["threshold"];
  for (std::size_t q = 0; q < 9; ++q) {
    EXPECT_EQ(energies[q] >= threshold, q >= 3) << q;
  }
}

TEST(Demo, explains_in_words_and_ends_with_the_reports) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "demo");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ::testing::HasSubstr("cost of supporting it"));
  EXPECT_THAT(run.out, ::testing::HasSubstr("weak spot"));
  const std::size_t verdict = run.out.find("\nVerdict: ");
  ASSERT_NE(verdict, std::string::npos);
  EXPECT_TRUE(run.out.ends_with(
      "\nOpen   sbog-demo/series/report.html   in a browser.\n"
      "Open   sbog-demo/latent/report.html   in a browser.\n"));
  // Once more in the same place.
  const std::string again = run_tool(folder, "demo").out;
  EXPECT_EQ(again.substr(again.find("\nVerdict: ")), run.out.substr(verdict));
}

}  // namespace demo_test
}  // namespace sbog::testing_support
