// SPDX-License-Identifier: Apache-2.0
// sbog completion and sbog man: what the tool says about its own options, for
// shells and for man.
#include <cstdio>
#include <string>

#include "about/build_facts.h"
#include "about/command_tree.h"
#include "about/completion_script.h"
#include "about/man_page.h"
#include "command.h"
#include "exit_code.h"

namespace sbog::cli {
namespace {

struct CompletionOptions {
  std::string shell;
};

const OptionTable<CompletionOptions>& completion_option_table() {
  static const OptionTable<CompletionOptions> kTable = [] {
    OptionTable<CompletionOptions> table;
    table
        .add("shell", &CompletionOptions::shell, "Shell that the script is for")
        .positional()
        .choices({"bash", "zsh", "fish"});
    return table;
  }();
  return kTable;
}

std::string completion_for(const std::string& shell) {
  const CommandFacts tool = describe_tool();
  if (shell == "zsh") return zsh_completion(tool);
  if (shell == "fish") return fish_completion(tool);
  return bash_completion(tool);
}

}  // namespace

Command completion_command() {
  return {"completion",
          "A script that lets a shell complete commands and options",
          "  sbog completion bash\n"
          "  sbog completion fish | tee sbog.fish",
          "",
          completion_option_table().infos(),
          [](const std::vector<Assignment>& given, Session&) {
            const CompletionOptions options =
                options_of(completion_option_table(), given);
            std::fputs(completion_for(options.shell).c_str(), stdout);
            return int{kDone};
          }};
}

Command man_command() {
  return {"man",
          "The man page, every command and option of it",
          "  sbog man\n"
          "  sbog man | tee sbog.1",
          "",
          {},
          [](const std::vector<Assignment>&, Session&) {
            const std::string page =
                man_page(describe_tool(), build_facts().version);
            std::fputs(page.c_str(), stdout);
            return int{kDone};
          }};
}

}  // namespace sbog::cli
