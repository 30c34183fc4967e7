// SPDX-License-Identifier: Apache-2.0
// sbog generate on a series in a build without LibTorch: one clear sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace generate_series_without_torch_test {

TEST(GenerateSeries, says_in_one_sentence_that_it_needs_libtorch) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, "generate demo:series --out run");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, ::testing::HasSubstr("no LibTorch"));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
}

}  // namespace generate_series_without_torch_test
}  // namespace sbog::testing_support
