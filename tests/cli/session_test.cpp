// SPDX-License-Identifier: Apache-2.0
// What every command has: notes and warnings on standard error, silence when
// asked for, and Ctrl-C as a stop button.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace session_test {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// An epsilon at which the nearest point alone decides gets a warning.
const std::string kWarned = "score demo:bank --epsilon 0.0001 ";

TEST(Session, results_and_words_for_people_go_apart) {
  const TemporaryFolder folder;
  const ToolResult run = run_tool(folder, kWarned);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, StartsWith("warning: "));
  EXPECT_THAT(run.out, Not(HasSubstr("warning")));
  EXPECT_THAT(run.out, HasSubstr("threshold"));
}

TEST(Session, nothing_but_the_result_is_said_when_quiet) {
  const TemporaryFolder folder;
  const ToolResult loud = run_tool(folder, kWarned + "--json");
  const ToolResult quiet = run_tool(folder, kWarned + "--json --quiet");
  EXPECT_NE(loud.err, "");
  EXPECT_EQ(quiet.err, "");
  EXPECT_THAT(quiet.out, StartsWith("{"));
}

TEST(Session, an_interrupt_stops_the_job_also_without_a_word) {
  const TemporaryFolder folder;
  const ToolResult run = run_line(
      folder,
      "'" SBOG_TOOL
      "' train series demo:series --width 40 --stride 8 "
      "--epochs 10000 --out m --quiet & while ! test -e m.checkpoint; do "
      "sleep 0.01; done; kill -INT $!; wait $!");
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder.file("m")));
}

}  // namespace session_test
}  // namespace sbog::testing_support
