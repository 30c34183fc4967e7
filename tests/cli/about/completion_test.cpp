// SPDX-License-Identifier: Apache-2.0
// sbog completion: which shells it knows.
#include <gmock/gmock.h>

#include "cli/about/completion_support.h"

namespace sbog::testing_support {
namespace completion_test {

using ::testing::HasSubstr;

class Completion : public CompletionTest {};

TEST_F(Completion, an_unknown_shell_is_told_in_one_sentence) {
  const ToolResult run = run_tool(folder_, "completion csh");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("csh"));
  EXPECT_EQ(lines_in(run.err).size(), 1u);
}

}  // namespace completion_test
}  // namespace sbog::testing_support
