// SPDX-License-Identifier: Apache-2.0
// Completion scripts, asked as the shells would: bash always, zsh and fish
// where they are installed; their text everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/tool.h"

namespace sbog::testing_support {
namespace completion_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> lines_in(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool has_program(const std::string& name) {
  const TemporaryFolder folder;
  return run_line(folder, "command -v " + name).exit_code == 0;
}

/// What a shell's script gives; the folder holds bank.npy and "two words.npy".
class Completion : public ::testing::Test {
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

TEST_F(Completion, bash_completes_commands) {
  EXPECT_THAT(in_bash("sbog sc"), ElementsAre("score"));
  EXPECT_THAT(in_bash("sbog de"), ElementsAre("detect", "demo"));
  EXPECT_THAT(in_bash("sbog --threads 2 detect t"), ElementsAre("train"));
  EXPECT_THAT(in_bash("sbog detect ''"), ElementsAre("train", "score"));
}

TEST_F(Completion, bash_completes_options_of_the_command_and_of_all) {
  EXPECT_THAT(in_bash("sbog report --"), Contains("--sample"));
  EXPECT_THAT(in_bash("sbog report --"), Contains("--threads"));
  EXPECT_THAT(in_bash("sbog report --"), Not(Contains("--epsilon")));
  EXPECT_THAT(in_bash("sbog detect train --cau"), ElementsAre("--causal"));
  EXPECT_THAT(in_bash("sbog --ver"), ElementsAre("--version"));
}

TEST_F(Completion, bash_completes_the_values_that_an_option_takes) {
  EXPECT_THAT(in_bash("sbog demo --kind ''"),
              ElementsAre("latent", "series", "image"));
  EXPECT_THAT(in_bash("sbog demo --kind = se"), ElementsAre("series"));
  EXPECT_THAT(in_bash("sbog demo --kind ="),
              ElementsAre("latent", "series", "image"));
  EXPECT_THAT(in_bash("sbog completion f"), ElementsAre("fish"));
  EXPECT_THAT(in_bash("sbog generate --rule kde"),
              ElementsAre("kde-scott", "kde-median", "kde-matched"));
  EXPECT_THAT(in_bash("sbog generate --cost unit"), ElementsAre("unit-cosine"));
}

TEST_F(Completion, bash_completes_files_where_a_path_is_due) {
  EXPECT_THAT(in_bash("sbog score ba"), ElementsAre("bank.npy"));
  EXPECT_THAT(in_bash("sbog score --queries two"),
              ElementsAre("two words.npy"));
  EXPECT_THAT(in_bash("sbog score --config ba"), ElementsAre("bank.npy"));
  EXPECT_THAT(in_bash("sbog score --epsilon ''"), IsEmpty());
  EXPECT_THAT(in_bash("sbog doctor ''"), IsEmpty());
}

TEST_F(Completion, zsh_gives_the_same) {
  EXPECT_THAT(script("zsh"), StartsWith("#compdef sbog\n"));
  EXPECT_THAT(script("zsh"), HasSubstr("' demo:--kind') compadd -- 'latent'"));
  EXPECT_THAT(script("zsh"), HasSubstr("' score:--queries') _files"));
  if (!has_program("zsh")) return;
  EXPECT_THAT(in_zsh("sbog ''"),
              Contains(HasSubstr("score:Energies of a bank")));
  EXPECT_THAT(in_zsh("sbog demo --kind ''"),
              ElementsAre("latent", "series", "image"));
  EXPECT_THAT(in_zsh("sbog detect train --"),
              Contains(HasSubstr("--causal:A score looks")));
  EXPECT_THAT(in_zsh("sbog detect train --"),
              Contains(HasSubstr("--threads:Worker threads")));
  EXPECT_THAT(in_zsh("sbog score --queries ''"), Contains("bank.npy"));
}

TEST_F(Completion, fish_gives_the_same) {
  EXPECT_THAT(script("fish"), HasSubstr("-l kind -x -a 'latent series image'"));
  EXPECT_THAT(script("fish"), HasSubstr("-l queries -r -F"));
  if (!has_program("fish")) return;
  EXPECT_THAT(in_fish("sbog sc"),
              ElementsAre(HasSubstr("score\tEnergies of a bank")));
  EXPECT_THAT(in_fish("sbog demo --kind "),
              ElementsAre(StartsWith("image\t"), StartsWith("latent\t"),
                          StartsWith("series\t")));
  EXPECT_THAT(in_fish("sbog detect train --cau"),
              ElementsAre(HasSubstr("--causal\tA score looks")));
  EXPECT_THAT(in_fish("sbog detect train --thr"),
              ElementsAre(HasSubstr("--threads\tWorker threads")));
  EXPECT_THAT(in_fish("sbog score --queries ba"), ElementsAre("bank.npy"));
}

TEST_F(Completion, an_unknown_shell_is_told_in_one_sentence) {
  const ToolResult run = run_tool(folder_, "completion csh");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("csh"));
  EXPECT_EQ(lines_in(run.err).size(), 1u);
}

}  // namespace completion_test
}  // namespace sbog::testing_support
