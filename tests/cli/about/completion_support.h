// SPDX-License-Identifier: Apache-2.0
// Completion scripts, asked as the shells would.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/tool.h"

namespace sbog::testing_support {

inline std::vector<std::string> lines_in(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline bool has_program(const std::string& name) {
  const TemporaryFolder folder;
  return run_line(folder, "command -v " + name).exit_code == 0;
}

/// What a shell's script gives; the folder holds bank.npy and "two words.npy".
class CompletionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    run_line(folder_, "touch bank.npy 'two words.npy'");
    for (const char* shell : {"bash", "zsh", "fish"}) {
      const ToolResult run = run_tool(
          folder_, std::string("completion ") + shell + " >script." + shell);
      ASSERT_EQ(run.exit_code, 0) << run.err;
    }
  }

  std::string script(const std::string& shell) const {
    return read_bytes(folder_.file("script." + shell));
  }

  std::vector<std::string> run_script(const std::string& shell,
                                      const std::string& text) const {
    std::ofstream(folder_.file("ask")) << text;
    const ToolResult run = run_line(folder_, shell + " ask");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return lines_in(run.out);
  }

  /// COMPREPLY for the words of a bash array; the last one is completed.
  std::vector<std::string> in_bash(const std::string& words) const {
    return run_script("bash --norc",
                      "source ./script.bash\nCOMP_WORDS=(" + words +
                          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_sbog\n"
                          "for word in \"${COMPREPLY[@]}\"; do\n"
                          "  echo \"$word\"\ndone\n");
  }

  /// What zsh would offer: its own functions are replaced by ones that print.
  std::vector<std::string> in_zsh(const std::string& words) const {
    return run_script(
        "zsh -f",
        "compdef() { :; }\ncompadd() { shift; print -l -- \"$@\"; }\n"
        "_files() { print -l -- *(N); }\n_message() { :; }\n"
        "_describe() { local name=${@[-1]}; print -l -- \"${(@P)name}\"; }\n"
        "source ./script.zsh\nwords=(" +
            words + ")\nCURRENT=${#words}\n_sbog; true\n");
  }

  std::vector<std::string> in_fish(const std::string& line) const {
    return run_script("fish --no-config",
                      "source ./script.fish\ncomplete -C '" + line + "'\n");
  }

  TemporaryFolder folder_;
};

}  // namespace sbog::testing_support
