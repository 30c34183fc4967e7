// SPDX-License-Identifier: Apache-2.0
// sbog completion and sbog man: what the tool says about its own options, for
// shells and for man.
#include <cstdio>
#include <memory>
#include <string>

#include "about/build_facts.h"
#include "about/command_tree.h"
#include "about/completion_script.h"
#include "about/man_page.h"
#include "commands.h"

namespace sbog::cli {
namespace {

std::string completion_for(const std::string& shell,
                           const CommandFacts& commands) {
  if (shell == "zsh") return zsh_completion(commands);
  if (shell == "fish") return fish_completion(commands);
  return bash_completion(commands);
}

}  // namespace

void add_completion(CLI::App& app, const CommonOptions& /*common*/,
                    int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand(
      "completion", "A script that lets a shell complete commands and options");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "Which shell the script is for")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  sbog completion bash\n"
      "  sbog completion fish | tee sbog.fish");
  command->callback([&app, shell] {
    std::fputs(completion_for(*shell, describe(app)).c_str(), stdout);
  });
}

void add_man(CLI::App& app, const CommonOptions& /*common*/,
             int& /*exit_code*/) {
  CLI::App* command =
      app.add_subcommand("man", "The man page, every command and option of it");
  command->footer(
      "Examples:\n"
      "  sbog man\n"
      "  sbog man | tee sbog.1");
  command->callback([&app] {
    const std::string page = man_page(describe(app), build_facts().version);
    std::fputs(page.c_str(), stdout);
  });
}

}  // namespace sbog::cli
