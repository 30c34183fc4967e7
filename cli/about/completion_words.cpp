// SPDX-License-Identifier: Apache-2.0
// See completion_words.h.
#include "about/completion_words.h"

#include <algorithm>

namespace sbog::cli {

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

}  // namespace sbog::cli
