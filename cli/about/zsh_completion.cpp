// SPDX-License-Identifier: Apache-2.0
// Completion for zsh; see completion.h.
#include "about/completion.h"

namespace sbog::cli {
namespace {

/// 'word:what it is' of _describe.
std::string described(const std::string& word, const std::string& text) {
  std::string entry;
  for (const char c : word) {
    if (c == ':') entry += '\\';
    entry += c;
  }
  return shell_quoted(entry + ":" + text) + " ";
}

std::string choice_list(const std::vector<std::string>& choices) {
  std::string list = "compadd --";
  for (const std::string& choice : choices) list += " " + shell_quoted(choice);
  return list;
}

std::string zsh_value_action(const OptionFacts& option) {
  if (!option.choices.empty()) return choice_list(option.choices);
  if (option.takes_path) return "_files";
  return "_message " + shell_quoted(option.description);
}

std::string options_of(const CommandFacts& command) {
  std::string list;
  for (const OptionFacts& option : command.options) {
    for (const std::string& name : option.names) {
      list += described(name, option.description);
    }
  }
  return list;
}

std::string zsh_argument_action(const CommandFacts& command) {
  std::string list;
  for (const CommandFacts& below : command.commands) {
    list += described(last_word(below), below.description);
  }
  if (!list.empty()) return "found=(" + list + ")";
  for (const OptionFacts& option : command.options) {
    if (!option.positional.empty() && !option.choices.empty()) {
      return choice_list(option.choices);
    }
  }
  return takes_files(command) ? "_files" : ":";
}

}  // namespace

std::string zsh_completion(const CommandFacts& root) {
  std::string options;
  std::string arguments;
  for (const CommandFacts* command : all_commands(root)) {
    const std::string place = shell_quoted(place_of(*command));
    if (command != &root) {
      options +=
          "      " + place + ") found+=(" + options_of(*command) + ") ;;\n";
    }
    arguments +=
        "    " + place + ") " + zsh_argument_action(*command) + " ;;\n";
  }
  return R"(#compdef sbog
# Completion of sbog for zsh; made by `sbog completion zsh`.
_sbog() {
  local place='' word
  local -a found
  for word in "${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      )" +
         place_patterns(root) +
         R"() place+=" $word" ;;
    esac
  done
  case "$place:${words[CURRENT-1]}" in
)" + value_branches(root, zsh_value_action) +
         R"(  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    found=()" +
         options_of(root) +
         R"()
    case "$place" in
)" + options +
         R"(    esac
    _describe -o option found
    return
  fi
  case "$place" in
)" + arguments +
         R"(  esac
  (( $#found )) && _describe command found
}

# Sourced it registers itself; found on the fpath it is the completion.
if [[ ${funcstack[1]} == _sbog ]]; then
  _sbog "$@"
else
  compdef _sbog sbog
fi
)";
}

}  // namespace sbog::cli
