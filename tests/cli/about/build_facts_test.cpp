// SPDX-License-Identifier: Apache-2.0
// sbog --version, and the libraries that sbog doctor names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace build_facts_test {

using ::testing::ContainsRegex;
using ::testing::MatchesRegex;

TEST(Version, the_first_line_is_name_and_number_alone) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "--version");
  ASSERT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out.substr(0, run.out.find('\n')),
              MatchesRegex("sbog [0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(Version, the_build_is_told) {
  const TemporaryFolder folder;
  const std::string out = run_tool(folder, "--version").out;
  EXPECT_THAT(out, ContainsRegex("\ncommit    (unknown|[0-9a-f]{12})"));
  EXPECT_THAT(out, ContainsRegex("\ncompiler  (GCC|clang) [0-9]+"));
  EXPECT_THAT(out, ContainsRegex("\nbuild     [A-Z]"));
  EXPECT_THAT(out, ContainsRegex("\nkernels   .+ is used on this CPU"));
  EXPECT_THAT(out, ContainsRegex("\nLibTorch  (yes|no)"));
  EXPECT_THAT(out, ContainsRegex("\nimages    libpng .+libjpeg "));
}

TEST(UsedLibraries, have_a_name_and_a_release) {
  const TemporaryFolder folder;
  const nlohmann::json json =
      nlohmann::json::parse(run_tool(folder, "doctor --json").out);
  for (const char* name : {"Highway", "Eigen", "Boost", "xxHash", "zlib",
                           "libzip", "libpng", "CLI11", "nlohmann-json"}) {
    ASSERT_TRUE(json["libraries"].contains(name)) << name;
    EXPECT_THAT(json["libraries"][name].get<std::string>(),
                ContainsRegex("^[0-9]+\\.[0-9]+"))
        << name;
  }
}

}  // namespace build_facts_test
}  // namespace sbog::testing_support
