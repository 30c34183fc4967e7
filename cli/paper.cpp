// SPDX-License-Identifier: Apache-2.0
// sbog paper: the tables and figures of the paper, one name each.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "exit_code.h"
#include "libtorch.h"
#include "paper/child_processes.h"
#include "paper/image_experiments.h"
#include "paper/readme.h"
#include "paper/registry.h"
#include "paper/runner.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/errors.h"

namespace sbog::cli {
namespace {

constexpr const char* kFooter =
    "'sbog paper list' names the tables, 'sbog paper all' runs them all. What "
    "is\n"
    "printed also goes to DIR/NAME.txt, with everything behind it in NAME.json "
    "and\n"
    "a Vega-Lite chart in NAME.vl.json. Cells that are finished are kept in\n"
    "DIR/cells: a run that was stopped goes on where it was. 'sbog paper "
    "readme\n"
    "FILE' writes the tables of DIR between the markers of a Markdown file.\n"
    "\n"
    "Examples:\n"
    "  sbog paper list\n"
    "  sbog paper kde --size small --out tables";

struct PaperArguments {
  std::vector<std::string> words;
  std::string out = "paper-results";
  std::string from;
  std::string seeds;
  std::string data;
  std::vector<std::string> sets;
  std::string size = "full";
  std::size_t jobs = 0;
};

int list() {
  for (const paper::Experiment& experiment : paper::experiments()) {
    std::printf("%-16s %s\n", experiment.name.c_str(),
                experiment.title.c_str());
  }
  return kDone;
}

paper::RunOptions to_options(const PaperArguments& arguments) {
  paper::RunOptions options;
  options.out = arguments.out;
  options.from = arguments.from;
  options.settings.size = paper::parse_size(arguments.size);
  if (!arguments.seeds.empty()) {
    options.settings.seeds = paper::parse_seeds(arguments.seeds);
  }
  options.settings.data = arguments.data;
  options.settings.sets = arguments.sets;
  if (arguments.data.empty() && !arguments.sets.empty()) {
    throw InvalidArgument("--sets: they are sets of --data, which is missing");
  }
  options.jobs = arguments.jobs;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw IoError("/proc/self/exe", "the tool cannot find itself");
  options.program = {self.string()};
  return options;
}

int run_one(const paper::Experiment& experiment,
            const paper::RunOptions& options, const CommonOptions& common) {
  const Console console(common.is_quiet);
  ProgressLine progress(experiment.name, common.is_quiet);
  const paper::RunResult result =
      paper::run_experiment(experiment, options, &progress);
  if (result.status == SolveStatus::kCancelled) {
    console.note("interrupted; finished cells are kept in " + options.out);
    return kNotReached;
  }
  std::fputs(common.is_json ? paper::result_text(result.json).c_str()
                            : result.text.c_str(),
             stdout);
  console.note(
      experiment.name + ": " + with_commas(result.computed) +
      " cells computed, " + with_commas(result.reused) + " taken from " +
      (options.from.empty() ? "" : options.from + " and ") + options.out);
  return kDone;
}

// Writes the tables of the results into a Markdown file.
int fill_readme(const std::string& path, const std::string& out) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path, "cannot be opened");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  write_file_atomically(path, paper::fill_tables(text, out));
  return kDone;
}

// How many words follow one that is no name of a table; none for a table.
std::optional<std::size_t> further_words(const std::string& word) {
  if (word == "cell") return 2;
  if (word == "readme") return 1;
  if (word == "list" || word == "all") return 0;
  return std::nullopt;
}

// One table after the other.
int run_each(const std::vector<const paper::Experiment*>& chosen,
             const paper::RunOptions& options, const CommonOptions& common) {
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i > 0 && !common.is_json) std::puts("");
    const int code = run_one(*chosen[i], options, common);
    if (code != kDone) return code;
  }
  return kDone;
}

int run_all(const paper::RunOptions& options, const CommonOptions& common) {
  const Console console(common.is_quiet);
  std::vector<const paper::Experiment*> chosen;
  for (const paper::Experiment& experiment : paper::experiments()) {
    const std::string obstacle =
        paper::obstacle_of(experiment, options.settings);
    if (obstacle.empty()) {
      chosen.push_back(&experiment);
    } else {
      console.note(experiment.name + " is left out: " + obstacle);
    }
  }
  return run_each(chosen, options, common);
}

// A name that is not there is told before the work.
int run_named(const std::vector<std::string>& names,
              const paper::RunOptions& options, const CommonOptions& common) {
  std::vector<const paper::Experiment*> chosen;
  chosen.reserve(names.size());
  for (const std::string& name : names) {
    chosen.push_back(&paper::find_experiment(name));
  }
  return run_each(chosen, options, common);
}

int run(const PaperArguments& arguments, const CommonOptions& common) {
  if (common.seed != 0) {
    throw InvalidArgument("--seed: sbog paper takes --seeds");
  }
  const std::vector<std::string>& words = arguments.words;
  const std::optional<std::size_t> expected = further_words(words[0]);
  if (expected && words.size() != *expected + 1) {
    throw InvalidArgument(
        "sbog paper " + words[0] + ": " + std::to_string(*expected) +
        " further words are expected, got " + std::to_string(words.size() - 1));
  }
  if (words[0] == "list") return list();
  if (words[0] == "readme") return fill_readme(words[1], arguments.out);
  const paper::RunOptions options = to_options(arguments);
  if (words[0] == "cell") {
    const paper::Experiment& experiment = paper::find_experiment(words[1]);
    if (paper::is_about_images(words[1])) need_libtorch();
    paper::end_with_parent();
    paper::run_cell(experiment, options, words[2]);
    return kDone;
  }
  if (words[0] == "all") return run_all(options, common);
  return run_named(words, options, common);
}

}  // namespace

void add_paper(CLI::App& app, const CommonOptions& common, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("paper", "Tables and figures of the paper");
  const auto arguments = std::make_shared<PaperArguments>();
  command->footer(kFooter);
  command
      ->add_option("name", arguments->words, "Names of tables, or list, or all")
      ->required();
  command->add_option("--out", arguments->out, "Folder of the results");
  command->add_option("--from", arguments->from,
                      "Folder of earlier results: cells that NAME.json holds "
                      "there are not computed again");
  command->add_option("--seeds", arguments->seeds,
                      "How many seeds, or which: 8, or 1,2,101-116");
  command->add_option("--data", arguments->data,
                      "Folder of data sets, for the tables that need one");
  command
      ->add_option("--sets", arguments->sets,
                   "Sets of that folder to be studied; without it all")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--size", arguments->size, "small or full")
      ->check(CLI::IsMember({"small", "full"}));
  command->add_option("--jobs", arguments->jobs,
                      "Processes at a time, 0 = all cores; each has one "
                      "thread, whatever --threads says");
  command->callback([arguments, &common, &exit_code] {
    exit_code = run(*arguments, common);
  });
}

}  // namespace sbog::cli
