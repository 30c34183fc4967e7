// SPDX-License-Identifier: Apache-2.0
// Help, version, the demo, and the examples that help pages promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace help_test {

TEST(Help, every_command_ends_with_two_examples_that_work_as_typed) {
  for (const char* command :
       {"score", "merge", "generate", "evaluate", "report", "demo", "doctor",
        "completion", "man"}) {
    const TemporaryFolder folder;
    const ToolResult help = run_tool(folder, std::string(command) + " --help");
    ASSERT_EQ(help.exit_code, 0);
    ASSERT_THAT(help.out, ::testing::HasSubstr("Examples:")) << command;
    const std::vector<std::string> examples = examples_of(help.out);
    EXPECT_EQ(examples.size(), 2u) << command;
    for (const std::string& example : examples) {
      const ToolResult run = run_line(folder, example);
      EXPECT_EQ(run.exit_code, 0) << example << "\n" << run.err;
      EXPECT_NE(run.out, "") << example;
    }
  }
}

TEST(Help, the_tables_of_the_paper_are_another_program) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "paper list");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, ::testing::HasSubstr("see sbog-paper"));
}

TEST(Help, version_is_told) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "--version");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, ::testing::StartsWith("sbog "));
}

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

}  // namespace help_test
}  // namespace sbog::testing_support
