// SPDX-License-Identifier: Apache-2.0
// See command_line.h.
#include "command_line.h"

#include <algorithm>
#include <memory>
#include <sstream>

#include "exit_code.h"

namespace sbog::cli {
namespace {

using Given = std::vector<Assignment>;

std::string value_word(const OptionInfo& option) {
  if (!option.value_name.empty()) return option.value_name;
  switch (option.type) {
    case OptionType::kFlag:
      return "";
    case OptionType::kSwitch:
      return "true|false";
    case OptionType::kInteger:
      return "N";
    case OptionType::kNumber:
      return "X";
    case OptionType::kText:
      return option.choices.empty() ? "TEXT" : "NAME";
  }
  return "";
}

// "0.05; one of a, b". Shown behind the help sentence.
std::string notes_of(const OptionInfo& option) {
  std::string notes;
  if (!option.choices.empty()) {
    for (const std::string& choice : option.choices) {
      notes += (notes.empty() ? " {" : ", ") + choice;
    }
    notes += "}";
  }
  if (option.is_required) {
    if (!option.is_positional) notes += " (required)";
  } else if (!option.default_text.empty()) {
    notes += " (default: " + option.default_text + ")";
  }
  return notes;
}

// The subcommand of that name, made with those above it when needed.
CLI::App* place_of(CLI::App& app, const std::string& name) {
  CLI::App* place = &app;
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    const auto found = place->get_subcommands(
        [&](const CLI::App* below) { return below->check_name(word); });
    place = found.empty() ? place->add_subcommand(word) : found.front();
  }
  return place;
}

void add_option(CLI::App& command, const OptionInfo& option, HelpDepth depth,
                const std::shared_ptr<Given>& given) {
  const std::string spelling = command_line_name(option);
  std::string names = spelling;
  for (const std::string& other : option.other_names) {
    names += ",--" + dashed(other);
  }
  const std::string help = option.help + notes_of(option);
  CLI::Option* made = nullptr;
  if (option.type == OptionType::kFlag) {
    made = command.add_flag_callback(
        names,
        [given, option, spelling] {
          given->push_back({option.name, {"true"}, spelling});
        },
        help);
  } else {
    made = command.add_option_function<std::vector<std::string>>(
        names,
        [given, option, spelling](const std::vector<std::string>& values) {
          given->push_back({option.name, values, spelling});
        },
        help);
    made->type_name(value_word(option));
    // A list takes one word, with commas; what follows is another argument.
    if (!option.is_positional) made->allow_extra_args(false);
    if (option.is_list) {
      made->delimiter(',');
      if (!option.is_positional) made->expected(1);
    } else {
      made->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
  const bool is_shown =
      depth == HelpDepth::kAll || option.level == OptionLevel::kBasic;
  if (option.is_positional) return;
  made->group(!is_shown                                           ? ""
              : depth == HelpDepth::kAll && !option.stage.empty() ? option.stage
                                                                  : "Options");
}

}  // namespace

void add_command(CLI::App& app, const Command& command, HelpDepth depth,
                 const CommonOptions& common, int& exit_code) {
  CLI::App* place = place_of(app, command.name);
  place->description(command.description);
  const bool has_more = std::any_of(
      command.options.begin(), command.options.end(), [](const OptionInfo& o) {
        return o.level == OptionLevel::kAdvanced && o.name != "seed";
      });
  std::string footer;
  if (depth == HelpDepth::kAll && !command.details.empty()) {
    footer = command.details + "\n\n";
  } else if (has_more) {
    footer = "--help-all shows every option.\n\n";
  }
  place->footer(footer + "Examples:\n" + command.examples);
  if (!command.run) {
    place->require_subcommand(1);
    return;
  }
  const auto given = std::make_shared<Given>();
  bool has_seed = false;
  for (const OptionInfo& option : command.options) {
    // The seed is an option of the whole tool.
    if (option.name == "seed") {
      has_seed = true;
    } else {
      add_option(*place, option, depth, given);
    }
  }
  place->callback([=, &common, &exit_code] {
    if (has_seed) {
      given->push_back({"seed", {std::to_string(common.seed)}, "--seed"});
    }
    Session session(common);
    exit_code = command.run(*given, session);
  });
}

int exit_code_of(job::Status status) {
  return status == job::Status::kDone ? kDone : kNotReached;
}

}  // namespace sbog::cli
