// SPDX-License-Identifier: Apache-2.0
// sbog-paper: the tables and figures of the paper, one name each. Turns errors
// into one sentence and an exit code.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paper/child_processes.h"
#include "paper/readme.h"
#include "paper/registry.h"
#include "paper/result_file.h"
#include "paper/runner.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/build_info.h"
#include "sbog/base/errors.h"
#include "sbog/base/number_text.h"
#include "sbog/base/progress_text.h"
#include "sbog/base/stopwatch.h"

namespace sbog::paper {
namespace {

// As those of the tool.
enum ExitCode : int {
  kDone = 0,
  kNotReached = 1,
  kWrongUse = 2,
  kInputOutput = 3
};

constexpr const char* kFooter =
    "'sbog-paper list' names the tables, 'sbog-paper all' runs them all. What "
    "is\n"
    "printed also goes to DIR/NAME.txt, with everything behind it in "
    "NAME.json.gz, a\n"
    "Vega-Lite chart in NAME.vl.json and the table in a page, NAME.md. Cells "
    "that are\n"
    "finished are kept in DIR/cells: a run that was stopped goes on where it "
    "was.\n"
    "'sbog-paper readme FILE' writes the tables of DIR between the markers of "
    "a\n"
    "Markdown file.\n"
    "\n"
    "Examples:\n"
    "  sbog-paper list\n"
    "  sbog-paper kde --size small --out tables";

struct Arguments {
  std::vector<std::string> words;
  std::string out = "paper-results";
  std::string from;
  std::string seeds;
  std::string data;
  std::vector<std::string> sets;
  std::string size = "full";
  std::size_t jobs = 0;
  bool takes_finished = false;
  bool is_quiet = false;
  bool is_json = false;

  void note(const std::string& text) const {
    if (!is_quiet) std::fprintf(stderr, "%s\n", text.c_str());
  }
};

std::atomic<bool> is_interrupted{false};

// A second one ends the process at once.
void on_interrupt(int /*signal*/) {
  if (is_interrupted.exchange(true)) std::_Exit(130);
}

// Finished cells on standard error; cancels on Ctrl-C.
class CellProgress : public Observer {
 public:
  CellProgress(const std::string& name, bool is_quiet)
      : is_quiet_(is_quiet),
        text_(name,
              is_terminal_ ? ProgressPlace::kTerminal : ProgressPlace::kLog) {}
  ~CellProgress() override {
    if (has_line_ && is_terminal_) std::fputs("\r\033[K", stderr);
  }
  bool on_progress(std::uint64_t done, std::uint64_t total) override {
    const auto line =
        is_quiet_ ? std::nullopt : text_.next(done, total, watch_.seconds());
    if (line) {
      std::fprintf(stderr, is_terminal_ ? "\r\033[K%s" : "%s\n", line->c_str());
      has_line_ = true;
    }
    return !is_interrupted;
  }

 private:
  bool is_quiet_;
  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  bool has_line_ = false;
  Stopwatch watch_;
  ProgressText text_;
};

int list() {
  for (const Experiment& experiment : experiments()) {
    std::printf("%-16s %s\n", experiment.name.c_str(),
                experiment.title.c_str());
  }
  return kDone;
}

RunOptions to_options(const Arguments& arguments) {
  RunOptions options;
  options.out = arguments.out;
  options.from = arguments.from;
  options.settings.size = parse_size(arguments.size);
  if (!arguments.seeds.empty()) {
    options.settings.seeds = parse_seeds(arguments.seeds);
  }
  options.settings.data = arguments.data;
  options.settings.sets = arguments.sets;
  if (arguments.data.empty() && !arguments.sets.empty()) {
    throw InvalidArgument("--sets: they are sets of --data, which is missing");
  }
  options.jobs = arguments.jobs;
  options.takes_finished = arguments.takes_finished;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw IoError("/proc/self/exe", "the program cannot find itself");
  options.program = {self.string()};
  return options;
}

int run_one(const Experiment& experiment, const RunOptions& options,
            const Arguments& arguments) {
  const RunResult result = [&] {
    CellProgress progress(experiment.name, arguments.is_quiet);
    return run_experiment(experiment, options, &progress);
  }();
  if (result.status == SolveStatus::kCancelled) {
    arguments.note("interrupted; finished cells are kept in " + options.out);
    return kNotReached;
  }
  std::fputs(arguments.is_json ? result_text(result.json).c_str()
                               : result.text.c_str(),
             stdout);
  arguments.note(
      experiment.name + ": " + with_commas(result.computed) +
      " cells computed, " + with_commas(result.reused) + " taken from " +
      (options.from.empty() ? "" : options.from + " and ") + options.out);
  return kDone;
}

// Writes the tables of the results into a Markdown file.
int fill_readme(const std::string& path, const std::string& out) {
  write_file_atomically(path, fill_tables(read_file(path), out));
  return kDone;
}

// How many words follow one that is no name of a table; none for a table.
std::optional<std::size_t> further_words(const std::string& word) {
  if (word == "cell") return 2;
  if (word == "readme") return 1;
  if (word == "list" || word == "all") return 0;
  return std::nullopt;
}

// All that the settings allow; of the others it is told what is missing.
std::vector<const Experiment*> all_tables(const Settings& settings,
                                          const Arguments& arguments) {
  std::vector<const Experiment*> chosen;
  for (const Experiment& experiment : experiments()) {
    const std::string obstacle = obstacle_of(experiment, settings);
    if (obstacle.empty()) {
      chosen.push_back(&experiment);
    } else {
      arguments.note(experiment.name + " is left out: " + obstacle);
    }
  }
  return chosen;
}

// A name that is not there is told before the work.
std::vector<const Experiment*> named_tables(
    const std::vector<std::string>& names) {
  std::vector<const Experiment*> chosen;
  chosen.reserve(names.size());
  for (const std::string& name : names) {
    chosen.push_back(&find_experiment(name));
  }
  return chosen;
}

int run(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words;
  const std::optional<std::size_t> expected = further_words(words[0]);
  if (expected && words.size() != *expected + 1) {
    throw InvalidArgument(words[0] + ": " + std::to_string(*expected) +
                          " further words are expected, got " +
                          std::to_string(words.size() - 1));
  }
  if (words[0] == "list") return list();
  if (words[0] == "readme") return fill_readme(words[1], arguments.out);
  const RunOptions options = to_options(arguments);
  if (words[0] == "cell") {
    const Experiment& experiment = find_experiment(words[1]);
    end_with_parent();
    run_cell(experiment, options, words[2]);
    return kDone;
  }
  const auto chosen = words[0] == "all"
                          ? all_tables(options.settings, arguments)
                          : named_tables(words);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i > 0 && !arguments.is_json) std::puts("");
    const int code = run_one(*chosen[i], options, arguments);
    if (code != kDone) return code;
  }
  return kDone;
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.set_version_flag("--version",
                       std::string("sbog-paper ") + build_version() +
                           ", commit " + build_commit(),
                       "Tell the version and exit");
  app.option_defaults()->always_capture_default();
  app.footer(kFooter);
  app.add_option("name", arguments.words, "Names of tables, or list, or all")
      ->required();
  app.add_option("--out", arguments.out, "Folder of the results");
  app.add_option("--from", arguments.from,
                 "Folder of earlier results: cells that they hold "
                 "are not computed again");
  app.add_option("--seeds", arguments.seeds,
                 "How many seeds, or which: 8, or 1,2,101-116");
  app.add_option_function<std::string>(
         "--seed",
         [](const std::string&) {
           throw CLI::ValidationError("--seed", "sbog-paper takes --seeds");
         })
      ->group("");
  app.add_option("--data", arguments.data,
                 "Folder of data sets, for the tables that need one");
  app.add_option("--sets", arguments.sets,
                 "Sets of that folder to be studied; without it all")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--size", arguments.size, "small or full")
      ->check(CLI::IsMember({"small", "full"}));
  app.add_flag("--finished", arguments.takes_finished,
               "Compute nothing: write the tables of cells that are finished");
  app.add_option("--jobs", arguments.jobs,
                 "Processes at a time, 0 = all cores; each has one thread");
  app.add_flag("--quiet", arguments.is_quiet, "No notes and no progress line");
  app.add_flag("--json", arguments.is_json,
               "Machine-readable result on stdout");
  app.set_config("--config", "", "Read options from a TOML file");
}

int fail(const std::string& sentence, int code) {
  std::fprintf(stderr, "sbog-paper: %s\n", sentence.c_str());
  return code;
}

int run_program(int argc, char** argv) {
  CLI::App app("sbog-paper makes the tables and figures of the paper.",
               "sbog-paper");
  Arguments arguments;
  add_options(app, arguments);
  std::signal(SIGINT, on_interrupt);
  try {
    app.parse(argc, argv);
    return run(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help, version
    return fail(std::string(error.what()) + " (see sbog-paper --help)",
                kWrongUse);
  } catch (const InvalidArgument& error) {
    return fail(error.what(), kWrongUse);
  } catch (const IoError& error) {
    return fail(error.what(), kInputOutput);
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for this job", kInputOutput);
  }
}

}  // namespace
}  // namespace sbog::paper

int main(int argc, char** argv) {
  try {
    return sbog::paper::run_program(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sbog-paper: unexpected: %s\n", error.what());
    return sbog::paper::kInputOutput;
  }
}
