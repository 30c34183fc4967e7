// SPDX-License-Identifier: Apache-2.0
// A subcommand as plain values: its words, the table of its options and what it
// does. The command line, completion, man page and reference are made of these.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/base/thread_pool.h"
#include "sbog/job/events.h"
#include "session.h"

namespace sbog::cli {

/// See the top of the file.
struct Command {
  std::string name;         ///< "score", "detect train"
  std::string description;  ///< one line
  std::string examples;     ///< two lines that work as typed
  std::string details;      ///< more words, shown by --help-all
  std::vector<OptionInfo> options;
  /// Runs the job with what was given and returns the exit code. Empty: the
  /// command is the name of those below it.
  std::function<int(const std::vector<Assignment>&, Session&)> run;
};

/// The exit code of an outcome.
int exit_code_of(job::Status status);

/// A command around the job of a table. `print` writes the result to standard
/// output; it is not called for a stopped job.
template <typename Options, typename Print>
Command job_command(Command words, const OptionTable<Options>& table,
                    Print print) {
  if (words.options.empty()) words.options = table.infos();
  words.run = [&table, print](const std::vector<Assignment>& given,
                              Session& session) {
    Options options;
    table.apply(given, options);
    table.check_required(options);
    ThreadPool pool(session.threads());
    const auto result = run(options, session.events(), {&pool, nullptr});
    if (result.status != job::Status::kStopped) print(result, session);
    return exit_code_of(result.status);
  };
  return words;
}

Command score_command();
Command merge_command();
Command evaluate_command();
Command certify_command();
Command dro_command();
Command train_group();
Command train_series_command();
Command report_command();

/// All of them, in the order of the help.
std::vector<Command> all_commands();

}  // namespace sbog::cli
