// SPDX-License-Identifier: Apache-2.0
// The words of a command line: which command and options they name, and one
// sentence about those that name none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace command_line_test {

using ::testing::HasSubstr;
using ::testing::Not;

class CommandLine : public ::testing::Test {
 protected:
  void expect_refused(const std::string& arguments, const std::string& words) {
    const ToolResult run = run_tool(folder, arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(words)) << arguments;
    EXPECT_THAT(run.err, ::testing::StartsWith("sbog: ")) << arguments;
    EXPECT_EQ(told_lines(run.err), 1u) << run.err;
    EXPECT_EQ(run.out, "") << arguments;
  }

  TemporaryFolder folder;
};

TEST_F(CommandLine, no_command_is_wrong_use) {
  expect_refused("", "(see sbog --help)");
}

TEST_F(CommandLine, the_help_of_the_command_that_was_called_is_named) {
  expect_refused("score --nothing 3", "(see sbog score --help)");
  expect_refused("detect train", "(see sbog detect train --help)");
  expect_refused("scores", "(see sbog --help)");
}

TEST_F(CommandLine, the_nearest_name_is_told) {
  expect_refused("scores demo:bank", "did you mean 'score'?");
  expect_refused("detect trian", "did you mean 'train'?");
  expect_refused("score demo:bank --epsilom 1", "did you mean '--epsilon'?");
  expect_refused("genrate demo:bank", "did you mean 'generate'?");
  expect_refused("score demo:bank --eps 1", "did you mean '--epsilon'?");
  expect_refused("score demo:bank --colour red", "no such option");
  expect_refused("score demo:bank another", "one argument too many");
}

TEST_F(CommandLine, the_tables_of_the_paper_are_another_program) {
  const ToolResult run = run_tool(folder, "paper list");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, ::testing::HasSubstr("see sbog-paper"));
}

TEST_F(CommandLine, help_shows_what_people_use_and_help_all_every_option) {
  const std::string basic = run_tool(folder, "score --help").out;
  const std::string all = run_tool(folder, "score --help-all").out;
  EXPECT_THAT(basic, HasSubstr("--epsilon"));
  EXPECT_THAT(basic, Not(HasSubstr("--tolerance")));
  EXPECT_THAT(basic, HasSubstr("--help-all shows every option"));
  EXPECT_THAT(all, HasSubstr("--tolerance"));
}

TEST_F(CommandLine, words_come_after_a_file_and_the_last_one_holds) {
  std::ofstream(folder.file("c.toml")) << "[score]\nepsilon = 0.2\n";
  const auto epsilon = [&](const std::string& words) {
    const ToolResult run = run_tool(
        folder, "score demo:bank --config c.toml --json --quiet" + words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::size_t at = run.out.find("\"epsilon\": ");
    return run.out.substr(at + 11, 3);
  };
  EXPECT_EQ(epsilon(""), "0.2");
  EXPECT_EQ(epsilon(" --epsilon 0.3"), "0.3");
  EXPECT_EQ(epsilon(" --epsilon 0.3 --epsilon 0.4"), "0.4");
}

}  // namespace command_line_test
}  // namespace sbog::testing_support
