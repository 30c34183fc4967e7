// SPDX-License-Identifier: Apache-2.0
// The commands as a tree, with the words that completion scripts and the man
// page need.
#pragma once

#include <string>
#include <vector>

namespace sbog::cli {

/// One option, flag or positional argument.
struct OptionFacts {
  std::vector<std::string> names;  ///< "--out", "-h"; empty for a positional
  std::string positional;          ///< "BANK"; empty for an option
  std::string value;               ///< kind of its value, "" for a flag
  std::string description;
  std::string default_text;          ///< empty: none
  std::vector<std::string> choices;  ///< the values it takes, where few
  bool is_required = false;
  bool takes_path = false;  ///< its value is the path of a file or folder
};

/// One command with what is below it.
struct CommandFacts {
  std::string name;  ///< with those above it: "sbog detect train"
  std::string description;
  std::string footer;
  std::vector<OptionFacts> options;
  std::vector<CommandFacts> commands;
};

/// The whole tree of the tool.
CommandFacts describe_tool();

/// The command and all below it, in the order of the help.
std::vector<const CommandFacts*> all_commands(const CommandFacts& root);

/// The last word of the name.
std::string last_word(const CommandFacts& command);

}  // namespace sbog::cli
