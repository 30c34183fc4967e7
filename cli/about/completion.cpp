// SPDX-License-Identifier: Apache-2.0
// sbog completion, and the words of its scripts; see completion.h.
#include "about/completion.h"

#include <algorithm>
#include <cstdio>

#include "command.h"

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

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

std::string place_of(const CommandFacts& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string::npos ? "" : command.name.substr(space);
}

std::string place_patterns(const CommandFacts& root) {
  std::string patterns;
  for (const CommandFacts* command : all_commands(root)) {
    const std::string place = place_of(*command);
    if (place.empty()) continue;
    patterns += (patterns.empty() ? "" : "|") + shell_quoted(place);
  }
  return patterns;
}

std::string value_branches(
    const CommandFacts& root,
    const std::function<std::string(const OptionFacts&)>& action) {
  std::string own;
  std::string everywhere;  // after the others: a command may have its own
  for (const CommandFacts* command : all_commands(root)) {
    const std::string place = place_of(*command);
    for (const OptionFacts& option : command->options) {
      if (option.value.empty()) continue;
      for (const std::string& name : option.names) {
        const std::string branch = ") " + action(option) + "; return ;;\n";
        if (place.empty()) {
          everywhere.append("    *:").append(name).append(branch);
        } else {
          std::string path = place;
          path.append(":").append(name);
          own.append("    ").append(shell_quoted(path)).append(branch);
        }
      }
    }
  }
  return own + everywhere;
}

bool takes_files(const CommandFacts& command) {
  return std::any_of(command.options.begin(), command.options.end(),
                     [](const OptionFacts& option) {
                       return !option.positional.empty() && option.takes_path;
                     });
}

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

}  // namespace sbog::cli
