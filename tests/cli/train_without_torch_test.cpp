// SPDX-License-Identifier: Apache-2.0
// sbog train in a build without LibTorch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace train_without_torch_test {

TEST(Train, a_build_without_libtorch_says_so_in_one_sentence) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "train series demo:series --out m");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, ::testing::HasSubstr("no LibTorch"));
  EXPECT_TRUE(folder.is_empty());
  EXPECT_EQ(run_tool(folder, "train series --help").exit_code, 0);
}

}  // namespace train_without_torch_test
}  // namespace sbog::testing_support
