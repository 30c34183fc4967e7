// SPDX-License-Identifier: Apache-2.0
// Completion for bash; see completion.h.
#include "about/completion.h"

namespace sbog::cli {
namespace {

std::string words_action(const std::vector<std::string>& words) {
  return "COMPREPLY=($(compgen -W " + shell_quoted(joined(words)) +
         " -- \"$cur\"))";
}

std::string bash_value_action(const OptionFacts& option) {
  if (!option.choices.empty()) return words_action(option.choices);
  return option.takes_path ? "_sbog_files" : ":";
}

std::vector<std::string> option_names(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const OptionFacts& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// What may stand where no option begins: commands, choices or files.
std::string bash_argument_action(const CommandFacts& command) {
  std::vector<std::string> words;
  for (const CommandFacts& below : command.commands) {
    words.push_back(last_word(below));
  }
  for (const OptionFacts& option : command.options) {
    if (option.positional.empty()) continue;
    words.insert(words.end(), option.choices.begin(), option.choices.end());
  }
  if (!words.empty()) return words_action(words);
  return takes_files(command) ? "_sbog_files" : ":";
}

}  // namespace

std::string bash_completion(const CommandFacts& root) {
  std::string options;
  std::string arguments;
  for (const CommandFacts* command : all_commands(root)) {
    const std::string place = shell_quoted(place_of(*command));
    options += "      " + place + ") words+=" +
               shell_quoted(" " + joined(option_names(*command))) + " ;;\n";
    arguments +=
        "    " + place + ") " + bash_argument_action(*command) + " ;;\n";
  }
  return R"(# Completion of sbog for bash; made by `sbog completion bash`.
_sbog_files() {
  local file
  compopt -o filenames 2>/dev/null
  COMPREPLY=()
  while IFS= read -r file; do COMPREPLY+=("$file"); done \
    < <(compgen -f -- "$cur")
}

_sbog() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local place='' words i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$place ${COMP_WORDS[i]}" in
      )" +
         place_patterns(root) +
         R"() place+=" ${COMP_WORDS[i]}" ;;
    esac
  done
  # Bash takes --option=value apart.
  if [[ $cur == = ]]; then
    cur=''
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case "$place:$prev" in
)" + value_branches(root, bash_value_action) +
         R"(  esac
  if [[ $cur == -* ]]; then
    words=)" +
         shell_quoted(joined(option_names(root))) +
         R"(
    case "$place" in
)" + options +
         R"(    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur" | sort -u))
    return
  fi
  case "$place" in
)" + arguments +
         R"(  esac
}

complete -F _sbog sbog
)";
}

}  // namespace sbog::cli
