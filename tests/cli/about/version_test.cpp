// SPDX-License-Identifier: Apache-2.0
// sbog --version from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace version_test {

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

}  // namespace version_test
}  // namespace sbog::testing_support
