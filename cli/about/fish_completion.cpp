// SPDX-License-Identifier: Apache-2.0
// Completion for fish; see completion.h.
#include "about/completion.h"

namespace sbog::cli {
namespace {

/// 'text' for fish, where a backslash protects a quote and itself.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// "-l out -s o" of the names of an option.
std::string name_arguments(const OptionFacts& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2)
                                   : " -s " + name.substr(1);
  }
  return text;
}

std::string value_arguments(const OptionFacts& option) {
  if (option.value.empty()) return "";
  if (!option.choices.empty())
    return " -x -a " + quoted(joined(option.choices));
  return option.takes_path ? " -r -F" : " -x";
}

/// The lines of one option or positional argument; none for those that take
/// files, since these need no rule of their own.
std::string option_line(const std::string& begin, const OptionFacts& option) {
  if (option.positional.empty()) {
    return begin + name_arguments(option) + value_arguments(option) + " -d " +
           quoted(option.description) + "\n";
  }
  if (option.choices.empty()) return "";
  return begin + " -a " + quoted(joined(option.choices)) + "\n";
}

}  // namespace

std::string fish_completion(const CommandFacts& root) {
  std::string places;
  std::string rules;
  for (const CommandFacts* command : all_commands(root)) {
    const std::string place = place_of(*command);
    if (!place.empty()) places += " " + quoted(place);
    const std::string here = "complete -c sbog -n " +
                             quoted("test (__sbog_place) = \"" + place + "\"");
    if (!takes_files(*command)) rules += here + " -f\n";
    for (const CommandFacts& below : command->commands) {
      rules += here + " -a " + quoted(last_word(below)) + " -d " +
               quoted(below.description) + "\n";
    }
    // Options of the top go on everywhere.
    const std::string begin = place.empty() ? "complete -c sbog" : here;
    for (const OptionFacts& option : command->options) {
      rules += option_line(begin, option);
    }
  }
  return "# Completion of sbog for fish; made by `sbog completion fish`.\n"
         "function __sbog_place\n"
         "  set -l place ''\n"
         "  for word in (commandline -opc)[2..-1]\n"
         "    if contains -- \"$place $word\"" +
         places +
         "\n"
         "      set place \"$place $word\"\n"
         "    end\n"
         "  end\n"
         "  echo \"$place\"\n"
         "end\n\n" +
         rules;
}

}  // namespace sbog::cli
