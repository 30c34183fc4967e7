// SPDX-License-Identifier: Apache-2.0
// The tree of commands is complete: the man page, which is made of it, has all
// that the help shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "cli/about/man_page_support.h"
#include "cli/tool.h"

namespace sbog::testing_support {
namespace command_tree_test {

using ::testing::HasSubstr;

std::set<std::string> options_in(const std::string& help) {
  static const std::regex kOption(R"(^ +(?:-[a-z],)?(--[a-z0-9-]+))");
  std::set<std::string> found;
  std::istringstream lines(help.substr(0, help.find("Examples:")));
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, kOption)) found.insert(match[1]);
  }
  return found;
}

std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> found;
  const std::size_t at = help.find("\nSubcommands:\n");
  if (at == std::string::npos) return found;
  std::istringstream lines(help.substr(at + 14));
  for (std::string line; std::getline(lines, line) && line.size() > 2;) {
    // What a description goes on with is indented far.
    if (line[2] != ' ') found.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return found;
}

class CommandTree : public ::testing::Test {
 protected:
  /// Compares the help of a command and of those below with the page.
  void check(const std::string& page, const std::string& words) {
    std::string help = run_tool(folder_, words + " --help").out;
    // A command without others below shows every option when asked to.
    if (commands_in(help).empty()) {
      help = run_tool(folder_, words + " --help-all").out;
    }
    const std::set<std::string> options = options_in(help);
    const std::string part = words.empty()
                                 ? page.substr(0, page.find(".SH COMMANDS"))
                                 : section_of(page, "sbog" + words);
    EXPECT_NE(part, "") << words;
    EXPECT_GE(options.size(), 1u) << words;
    option_count_ += options.size();
    for (const std::string& option : options) {
      const std::string written =
          "\\fB" + std::regex_replace(option, std::regex("-"), "\\-") + "\\fR";
      EXPECT_THAT(part, HasSubstr(written)) << words;
    }
    for (const std::string& name : commands_in(help)) {
      check(page, words + " " + name);
    }
  }

  TemporaryFolder folder_;
  std::size_t option_count_ = 0;
};

TEST_F(CommandTree, has_every_option_of_every_command) {
  const ToolResult run = run_tool(folder_, "man");
  ASSERT_EQ(run.exit_code, 0);
  check(run.out, "");
  // Far from none, should the reading of the help go blind.
  EXPECT_GT(option_count_, 150u);
}

}  // namespace command_tree_test
}  // namespace sbog::testing_support
