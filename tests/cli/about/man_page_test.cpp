// SPDX-License-Identifier: Apache-2.0
// The man page: complete, and accepted by groff where it is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace man_page_test {

using ::testing::HasSubstr;

/// The part of the page about one command.
std::string section_of(const std::string& page, const std::string& command) {
  const std::string head = ".SS \"" + command + "\"\n";
  const std::size_t begin = page.find(head);
  if (begin == std::string::npos) return "";
  const std::size_t rest = begin + head.size();
  return page.substr(rest, page.find("\n.S", rest) - rest);
}

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

class ManPage : public ::testing::Test {
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

TEST_F(ManPage, has_every_option_of_every_command) {
  const ToolResult run = run_tool(folder_, "man");
  ASSERT_EQ(run.exit_code, 0);
  check(run.out, "");
  // Far from none, should the reading of the help go blind.
  EXPECT_GT(option_count_, 150u);
}

TEST_F(ManPage, says_defaults_choices_and_examples) {
  const std::string page = run_tool(folder_, "man").out;
  EXPECT_THAT(section_of(page, "sbog demo"),
              HasSubstr("one of \\fBlatent\\fR, \\fBseries\\fR, "));
  EXPECT_THAT(section_of(page, "sbog score"), HasSubstr("default 0.05"));
  EXPECT_THAT(section_of(page, "sbog dro"), HasSubstr("required"));
  EXPECT_THAT(section_of(page, "sbog doctor"),
              HasSubstr("  sbog doctor \\-\\-json\n"));
}

TEST_F(ManPage, groff_has_nothing_to_complain_about) {
  if (run_line(folder_, "command -v groff").exit_code != 0) return;
  ASSERT_EQ(run_tool(folder_, "man >sbog.1").exit_code, 0);
  const ToolResult run = run_line(folder_, "groff -man -Tutf8 -ww sbog.1");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("sbog detect train"));
}

}  // namespace man_page_test
}  // namespace sbog::testing_support
