// SPDX-License-Identifier: Apache-2.0
// A subcommand as plain values: its words, the table of its options and what it
// does. The command line, completion, man page and reference are made of these.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/option_table.h"
#include "sbog/base/thread_pool.h"
#include "sbog/job/events.h"
#include "sbog/job/generate.h"
#include "sbog/job/stress.h"
#include "session.h"

namespace sbog::cli {

/// Options that do not fit; the message is followed by where help is.
class WrongUse : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// What the tool's exit status means.
enum ExitCode : int {
  kDone = 0,
  kNotReached = 1,   ///< done, but an asked-for outcome was not reached
  kWrongUse = 2,     ///< options or values that make no sense
  kInputOutput = 3,  ///< a file that cannot be read or written
};

/// See the top of the file.
struct Command {
  std::string name;         ///< "score", "detect train"
  std::string description;  ///< one line
  std::string examples;     ///< two lines that work as typed
  std::string details;      ///< more words, shown by --help-all
  std::vector<OptionInfo> options;
  /// Runs the job with what was given and returns the exit code.
  std::function<int(const std::vector<Assignment>&, Session&)> run;
};

/// The exit code of an outcome.
int exit_code_of(job::Status status);

/// The options that were given. Throws WrongUse.
template <typename Options>
Options options_of(const OptionTable<Options>& table,
                   const std::vector<Assignment>& given) {
  Options options;
  try {
    table.apply(given, options);
    table.check_required(options);
  } catch (const InvalidArgument& error) {
    throw WrongUse(error.what());
  }
  return options;
}

/// A command around the job of a table. `print` writes the result to standard
/// output; it is not called for a stopped job.
template <typename Options, typename Print>
Command job_command(Command words, const OptionTable<Options>& table,
                    Print print) {
  if (words.options.empty()) words.options = table.infos();
  words.run = [&table, print](const std::vector<Assignment>& given,
                              Session& session) {
    const Options options = options_of(table, given);
    job::check_outputs(table.values(options));
    ThreadPool pool(session.threads());
    const auto result = run(options, session.events(), {&pool, nullptr});
    if (result.status == job::Status::kStopped) return stopped_exit_code();
    print(result, session);
    return exit_code_of(result.status);
  };
  return words;
}

Command score_command();
Command merge_command();
Command generate_command();
Command evaluate_command();
Command certify_command();
Command dro_command();
Command stress_command();
Command train_group();
Command train_series_command();
Command train_image_command();
Command detect_group();
Command detect_train_command();
Command detect_score_command();
Command report_command();
Command demo_command();
Command doctor_command();
Command completion_command();
Command man_command();

/// The results of a run and of a stress test, which sbog demo prints as well.
void print_generate(const job::GenerateResult& result, Session& session);
void print_stress(const job::StressResult& result, Session& session);

/// Runs the command that the words of a command line name and returns the exit
/// code; by CLI11. Prints help and, for wrong use, one sentence.
int run_command_line(int argc, const char* const* argv);

/// All of them, in the order of the help.
const std::vector<Command>& all_commands();
/// Words before others, such as "detect", that do nothing by themselves.
const std::vector<Command>& command_groups();

/// What the value of an option is called in help, man page and completion:
/// FILE, N, X, NAME; empty for a flag.
std::string value_word(const OptionInfo& option);

/// " {a, b} (default: a)" behind the help sentence.
std::string option_notes(const OptionInfo& option);

}  // namespace sbog::cli
