// SPDX-License-Identifier: Apache-2.0
// Cells to tables; see runner.h.
#include "paper/runner.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "paper/cell_store.h"
#include "paper/child_processes.h"
#include "paper/readme.h"
#include "paper/result_file.h"
#include "sbog/base/atomic_file.h"
#include "sbog/base/build_info.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace {

std::vector<std::string> command_of(const Experiment& experiment,
                                    const RunOptions& options,
                                    const Settings& settings,
                                    const std::string& key) {
  std::vector<std::string> command = options.program;
  for (const std::string& word :
       {std::string("cell"), experiment.name, key, std::string("--out"),
        options.out, std::string("--size"),
        std::string(to_string(settings.size)), std::string("--seeds"),
        to_string(settings.seeds), std::string("--quiet")}) {
    command.push_back(word);
  }
  if (!settings.data.empty()) {
    command.push_back("--data");
    command.push_back(settings.data);
  }
  for (const std::string& set : settings.sets) {
    command.push_back("--sets");
    command.push_back(set);
  }
  return command;
}

// Computes the cells in processes; false when the observer asked to stop.
bool compute_cells(const Experiment& experiment, const RunOptions& options,
                   const Settings& settings, const std::vector<Cell>& cells,
                   Observer* observer) {
  std::vector<std::vector<std::string>> commands;
  commands.reserve(cells.size());
  for (const Cell& cell : cells) {
    commands.push_back(command_of(experiment, options, settings, cell.key));
  }
  const std::size_t cores =
      std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::size_t done = 0;
  return run_children(commands, options.jobs == 0 ? cores : options.jobs,
                      [&](const ChildEnd* end) {
                        if (end != nullptr) {
                          if (!end->is_success) {
                            throw IoError(experiment.name + ": the cell " +
                                          cells[end->index].key +
                                          " failed: " + end->reason);
                          }
                          ++done;
                        }
                        return observer == nullptr ||
                               observer->on_progress(done, commands.size());
                      });
}

std::string text_of(const Experiment& experiment, const Settings& settings,
                    const Presentation& shown) {
  std::string text =
      experiment.title + "\n" + "size " + to_string(settings.size) +
      ", seeds " + to_string(settings.seeds) + ", sbog " + build_version() +
      ", commit " + build_commit() + "\n\n" + to_text(shown.table);
  if (!shown.notes.empty()) text += "\n";
  for (const std::string& note : shown.notes) text += note + "\n";
  return text;
}

Json json_of(const Experiment& experiment, const Settings& settings,
             const std::vector<FinishedCell>& cells,
             const Presentation& shown) {
  std::set<std::string> commits;
  for (const FinishedCell& cell : cells) commits.insert(cell.commit);
  Json json = {{"name", experiment.name},    {"title", experiment.title},
               {"version", build_version()}, {"commit", build_commit()},
               {"cell_commits", commits},    {"size", to_string(settings.size)},
               {"seeds", settings.seeds},    {"cells", Json::object()}};
  // By key, because like cells next to each other compress better.
  std::map<std::string, const FinishedCell*> by_key;
  for (const FinishedCell& cell : cells) by_key[cell.key] = &cell;
  for (const auto& [key, found] : by_key) {
    const FinishedCell& cell = *found;
    Json& entry = json["cells"][key];
    entry = {{"configuration", cell.configuration},
             {"result", cell.result},
             {"commit", cell.commit}};
    if (!cell.seconds.is_null()) entry["seconds"] = cell.seconds;
  }
  json["table"] = to_json(shown.table);
  json["notes"] = shown.notes;
  return json;
}

void write_files(const std::string& out, const std::string& name,
                 const RunResult& result, const Json& chart) {
  const std::string base = (std::filesystem::path(out) / name).string();
  write_file_atomically(base + ".txt", result.text);
  write_file_atomically(base + ".vl.json", chart.dump() + "\n");
  write_result(out, name, result.json);
  update_page(out, name);
}

}  // namespace

Settings resolve(const Experiment& experiment, Settings settings) {
  if (settings.seeds.empty()) {
    settings.seeds = experiment.default_seeds(settings.size);
  }
  const std::string obstacle = obstacle_of(experiment, settings);
  if (!obstacle.empty()) {
    throw InvalidArgument(experiment.name + ": " + obstacle);
  }
  return settings;
}

RunResult run_experiment(const Experiment& experiment,
                         const RunOptions& options, Observer* observer) {
  const Settings settings = resolve(experiment, options.settings);
  std::vector<Cell> cells = experiment.cells(settings);
  const CellStore store(options.out, experiment.name);
  store.make_folder();
  if (!options.from.empty()) {
    take_over(read_result(options.from, experiment.name), cells, store);
  }
  if (options.takes_finished) {
    std::erase_if(cells, [&](const Cell& cell) { return !store.load(cell); });
    if (cells.empty()) {
      throw InvalidArgument(experiment.name + ": no cell is finished in '" +
                            options.out + "'");
    }
  }
  std::vector<Cell> missing;
  for (const Cell& cell : cells) {
    if (!store.load(cell)) missing.push_back(cell);
  }
  RunResult result{};
  result.computed = missing.size();
  result.reused = cells.size() - missing.size();
  if (!compute_cells(experiment, options, settings, missing, observer)) {
    result.status = SolveStatus::kCancelled;
    return result;
  }
  std::vector<FinishedCell> finished;
  for (const Cell& cell : cells) {
    std::optional<StoredResult> stored = store.load(cell);
    if (!stored) {
      throw IoError(store.path_of(cell.key),
                    "the finished cell cannot be read back");
    }
    finished.push_back({cell.key, cell.configuration, std::move(stored->result),
                        std::move(stored->seconds), std::move(stored->commit)});
  }
  const Presentation shown = experiment.present(finished);
  result.text = text_of(experiment, settings, shown);
  result.json = json_of(experiment, settings, finished, shown);
  write_files(options.out, experiment.name, result, shown.chart);
  return result;
}

void run_cell(const Experiment& experiment, const RunOptions& options,
              const std::string& key) {
  const Settings settings = resolve(experiment, options.settings);
  const std::vector<Cell> cells = experiment.cells(settings);
  const auto found =
      std::find_if(cells.begin(), cells.end(),
                   [&](const Cell& cell) { return cell.key == key; });
  if (found == cells.end()) {
    throw InvalidArgument(experiment.name + ": there is no cell '" + key +
                          "' of this size and these seeds");
  }
  const CellStore store(options.out, experiment.name);
  store.make_folder();
  Json seconds;
  CellContext context;
  context.data = settings.data;
  context.scratch = (std::filesystem::path(options.out) / "shared").string();
  context.seconds = &seconds;
  const std::clock_t start = std::clock();
  const Json result = experiment.compute(found->configuration, context);
  if (!seconds.is_null()) {
    seconds["cell"] =
        static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  store.save(*found, result, build_commit(), seconds);
}

}  // namespace sbog::paper
