// SPDX-License-Identifier: Apache-2.0
// See command_tree.h.
#include "about/command_tree.h"

#include <sstream>

namespace sbog::cli {
namespace {

/// CLI11 writes "TEXT:{a,b}" for a text that is one of a set.
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t begin = type.find(":{");
  const std::size_t end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream list(type.substr(begin + 2, end - begin - 2));
  for (std::string choice; std::getline(list, choice, ',');) {
    choices.push_back(choice);
  }
  return choices;
}

OptionFacts describe_option(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) {
    facts.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    facts.names.push_back("--" + name);
  }
  if (facts.names.empty()) facts.positional = option.get_single_name();
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    facts.value = type.substr(0, type.find_first_of(": "));
    facts.choices = choices_of(type);
    facts.default_text = option.get_default_str();
    if (facts.default_text == "[]") facts.default_text.clear();  // no list
  }
  facts.description = option.get_description();
  facts.is_required = option.get_required();
  return facts;
}

CommandFacts describe_command(const CLI::App& app, const std::string& above) {
  CommandFacts facts;
  facts.name = above.empty() ? app.get_name() : above + " " + app.get_name();
  facts.description = app.get_description();
  facts.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    facts.options.push_back(describe_option(*option));
    // CLI11 gives the file of the configuration no type.
    if (option == app.get_config_ptr()) facts.options.back().value = "TEXT";
  }
  const auto all = [](const CLI::App*) { return true; };
  for (const CLI::App* command : app.get_subcommands(all)) {
    facts.commands.push_back(describe_command(*command, facts.name));
  }
  return facts;
}

}  // namespace

CommandFacts describe(const CLI::App& app) { return describe_command(app, ""); }

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
