// SPDX-License-Identifier: Apache-2.0
// Runs the built tool as a user would and catches what it says.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/temporary_folder.h"
#include "test_paths.h"

namespace sbog::testing_support {

struct ToolResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Lines of what a tool told, without progress, which a slow build shows.
inline std::size_t told_lines(const std::string& err) {
  std::size_t count = 0;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    const bool is_progress = line.ends_with(" left") || line.ends_with(" %");
    count += is_progress ? 0 : 1;
  }
  return count;
}

/// Runs a shell command line in `folder`; `sbog` is the built tool.
inline ToolResult run_line(const TemporaryFolder& folder,
                           const std::string& line) {
  const TemporaryFolder logs;
  const std::string command = "cd '" + folder.path().string() +
                              "' && sbog() { '" SBOG_TOOL "' \"$@\"; }; { " +
                              line + "; } >'" + logs.file("out") + "' 2>'" +
                              logs.file("err") + "' </dev/null";
  const int status = std::system(command.c_str());
  ToolResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = read_bytes(logs.file("out"));
  result.err = read_bytes(logs.file("err"));
  return result;
}

inline ToolResult run_tool(const TemporaryFolder& folder,
                           const std::string& arguments) {
  return run_line(folder, "sbog " + arguments);
}

/// The indented lines after "Examples:".
inline std::vector<std::string> examples_of(const std::string& help) {
  std::vector<std::string> lines;
  std::istringstream text(help.substr(help.find("Examples:")));
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start != std::string::npos) lines.push_back(line.substr(start));
  }
  return lines;
}

/// Runs the two examples at the end of a help page, as typed.
inline void expect_examples_work(const TemporaryFolder& folder,
                                 const std::string& page) {
  SCOPED_TRACE(page);
  const ToolResult help = run_tool(folder, page + " --help");
  ASSERT_EQ(help.exit_code, 0);
  ASSERT_NE(help.out.find("Examples:"), std::string::npos);
  const std::vector<std::string> examples = examples_of(help.out);
  EXPECT_EQ(examples.size(), 2u);
  for (const std::string& example : examples) {
    const ToolResult run = run_line(folder, example);
    EXPECT_EQ(run.exit_code, 0) << example << "\n" << run.err;
    EXPECT_NE(run.out, "") << example;
  }
}

inline nlohmann::json read_json(const TemporaryFolder& folder,
                                const std::string& name) {
  return nlohmann::json::parse(read_bytes(folder.file(name)));
}

}  // namespace sbog::testing_support
