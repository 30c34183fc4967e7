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
  const ToolResult run = run_tool(folder, "demo --json");
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

TEST(Demo, explains_in_words) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "demo");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, ::testing::HasSubstr("cost of supporting it"));
  EXPECT_THAT(run.out,
              ::testing::HasSubstr("Open   sbog-demo/latent/report.html"));
  // Once more in the same place.
  EXPECT_EQ(run_tool(folder, "demo").out.substr(0, 200),
            run.out.substr(0, 200));
}

}  // namespace demo_test
}  // namespace sbog::testing_support
