// SPDX-License-Identifier: Apache-2.0
// The list of all commands; see command.h.
#include "command.h"
#include "exit_code.h"

namespace sbog::cli {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> kCommands = {
      generate_command(),     evaluate_command(),     certify_command(),
      report_command(),       score_command(),        merge_command(),
      dro_command(),          train_series_command(), train_image_command(),
      detect_train_command(), detect_score_command(), demo_command(),
      doctor_command(),       completion_command(),   man_command()};
  return kCommands;
}

const std::vector<Command>& command_groups() {
  static const std::vector<Command> kGroups = {train_group(), detect_group()};
  return kGroups;
}

int exit_code_of(job::Status status) {
  return status == job::Status::kDone ? kDone : kNotReached;
}

}  // namespace sbog::cli
