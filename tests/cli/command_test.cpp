// SPDX-License-Identifier: Apache-2.0
// The list of commands: each is in the help, with examples that work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace command_test {

using ::testing::HasSubstr;

TEST(Commands, all_are_in_the_help) {
  const TemporaryFolder folder;
  const std::string help = run_tool(folder, "--help").out;
  for (const char* command :
       {"generate", "evaluate", "certify", "report", "stress", "score", "merge",
        "dro", "train", "detect", "demo", "doctor", "completion", "man"}) {
    EXPECT_THAT(help, HasSubstr(std::string("\n  ") + command + " "));
  }
}

TEST(Commands, what_an_option_takes_and_is_without_stands_behind_its_sentence) {
  const TemporaryFolder folder;
  const std::string help = run_tool(folder, "score --help-all").out;
  EXPECT_THAT(help, HasSubstr("--queries FILE"));
  EXPECT_THAT(help, HasSubstr("--epsilon X"));
  EXPECT_THAT(help, HasSubstr("--local N"));
  EXPECT_THAT(help, HasSubstr("{quantile, conformal} (default: quantile)"));
  EXPECT_THAT(run_tool(folder, "generate --help").out, HasSubstr("(required)"));
}

TEST(Commands, every_command_ends_with_two_examples_that_work_as_typed) {
  for (const char* command :
       {"score", "merge", "generate", "evaluate", "report", "demo", "doctor",
        "completion", "man"}) {
    const TemporaryFolder folder;
    expect_examples_work(folder, command);
  }
}

}  // namespace command_test
}  // namespace sbog::testing_support
