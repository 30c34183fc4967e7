// SPDX-License-Identifier: Apache-2.0
// The list of all commands, and the words about options; see command.h.
#include "command.h"

namespace sbog::cli {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> kCommands = {
      generate_command(),    evaluate_command(),     certify_command(),
      report_command(),      stress_command(),       score_command(),
      merge_command(),       dro_command(),          train_series_command(),
      train_image_command(), detect_train_command(), detect_score_command(),
      demo_command(),        doctor_command(),       completion_command(),
      man_command()};
  return kCommands;
}

const std::vector<Command>& command_groups() {
  static const std::vector<Command> kGroups = {train_group(), detect_group()};
  return kGroups;
}

int exit_code_of(job::Status status) {
  return status == job::Status::kDone ? kDone : kNotReached;
}

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

std::string option_notes(const OptionInfo& option) {
  std::string notes;
  for (const std::string& choice : option.choices) {
    notes += (notes.empty() ? " {" : ", ") + choice;
  }
  if (!notes.empty()) notes += "}";
  if (option.is_required) {
    if (!option.is_positional) notes += " (required)";
  } else if (!option.default_text.empty()) {
    notes += " (default: " + option.default_text + ")";
  }
  return notes;
}

}  // namespace sbog::cli
