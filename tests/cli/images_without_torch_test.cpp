// SPDX-License-Identifier: Apache-2.0
// Images in a build without LibTorch: one sentence that says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace images_without_torch_test {

TEST(Images, a_build_without_libtorch_says_so) {
  const TemporaryFolder folder;
  for (const char* line :
       {"train image demo:shapes --out x", "generate demo:shapes --out x",
        "detect train demo:shapes --out x", "demo --kind image --out x"}) {
    const ToolResult run = run_tool(folder, line);
    EXPECT_EQ(run.exit_code, 2) << line;
    EXPECT_THAT(run.err, ::testing::HasSubstr("no LibTorch")) << line;
    EXPECT_TRUE(folder.is_empty()) << line;
  }
}

}  // namespace images_without_torch_test
}  // namespace sbog::testing_support
