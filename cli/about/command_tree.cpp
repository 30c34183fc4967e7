// SPDX-License-Identifier: Apache-2.0
// See command_tree.h.
#include "about/command_tree.h"

#include <algorithm>
#include <sstream>

#include "command.h"

namespace sbog::cli {
namespace {

OptionFacts describe_option(const OptionInfo& option) {
  OptionFacts facts;
  if (option.is_positional) {
    facts.positional = command_line_name(option);
  } else {
    facts.names.push_back(command_line_name(option));
  }
  facts.value = value_word(option);
  facts.choices = option.choices;
  if (option.type == OptionType::kSwitch) facts.choices = {"true", "false"};
  facts.default_text = option.default_text;
  facts.description = option.help;
  facts.is_required = option.is_required;
  for (const char* word : {"FILE", "FILES", "FOLDER", "PATH"}) {
    facts.takes_path = facts.takes_path || facts.value == word;
  }
  return facts;
}

OptionFacts describe_flag(const std::string& names, const char* help) {
  OptionFacts facts;
  std::istringstream words(names);
  for (std::string name; words >> name;) facts.names.push_back(name);
  facts.description = help;
  return facts;
}

// The node of that name below `root`, made with those above it when needed.
CommandFacts& node_of(CommandFacts& root, const std::string& name) {
  CommandFacts* node = &root;
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    const std::string full = node->name + " " + word;
    const auto found = std::find_if(
        node->commands.begin(), node->commands.end(),
        [&](const CommandFacts& below) { return below.name == full; });
    if (found != node->commands.end()) {
      node = &*found;
      continue;
    }
    CommandFacts below;
    below.name = full;
    below.options.push_back(
        describe_flag("-h --help", "Show the options that people use"));
    below.options.push_back(
        describe_flag("--help-all", "Show every option, by stage"));
    node->commands.push_back(std::move(below));
    node = &node->commands.back();
  }
  return *node;
}

}  // namespace

CommandFacts describe_tool() {
  CommandFacts root;
  root.name = "sbog";
  root.description =
      "sbog makes structured outliers: weakly supported by your data, still "
      "of their class.";
  root.options.push_back(
      describe_flag("-h --help", "Show the options that people use"));
  root.options.push_back(
      describe_flag("--help-all", "Show every option, by stage"));
  root.options.push_back(describe_flag(
      "--version", "Tell the version and how it was built, and exit"));
  for (const OptionInfo& option : common_option_table().infos()) {
    root.options.push_back(describe_option(option));
  }
  for (const Command& command : all_commands()) {
    CommandFacts& node = node_of(root, command.name);
    node.description = command.description;
    node.footer = command.details + (command.details.empty() ? "" : "\n\n") +
                  "Examples:\n" + command.examples;
    for (const OptionInfo& option : command.options) {
      if (option.name != "seed") {
        node.options.push_back(describe_option(option));
      }
    }
  }
  for (const Command& group : command_groups()) {
    node_of(root, group.name).description = group.description;
  }
  return root;
}

std::vector<const CommandFacts*> all_commands(const CommandFacts& root) {
  std::vector<const CommandFacts*> found = {&root};
  for (const CommandFacts& command : root.commands) {
    const auto below = all_commands(command);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

std::string last_word(const CommandFacts& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

}  // namespace sbog::cli
