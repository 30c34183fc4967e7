// SPDX-License-Identifier: Apache-2.0
// Runs an experiment: takes finished cells from disk, computes the others in
// processes of their own, and writes the table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "paper/experiment.h"
#include "sbog/base/status.h"

namespace sbog::paper {

/// Where and how an experiment runs.
struct RunOptions {
  std::string out;       ///< folder of the results
  Settings settings;     ///< no seeds: those of the experiment
  std::string from{};    ///< folder of results whose cells are taken over
  std::size_t jobs = 0;  ///< processes at a time; 0: one per core
  /// Compute nothing and show what there is.
  bool takes_finished = false;
  /// What starts the program; "cell NAME KEY ..." is appended.
  std::vector<std::string> program;
};

/// What a run gave.
struct RunResult {
  /// kDone, or kCancelled: then only finished cells were written.
  SolveStatus status = SolveStatus::kDone;
  std::size_t reused = 0;    ///< cells taken from disk
  std::size_t computed = 0;  ///< cells computed now
  Json json;                 ///< what NAME.json.gz holds; see result_file.h
  std::string text;          ///< what NAME.txt holds
};

/// Computes what is missing and writes OUT/NAME.json.gz, NAME.txt,
/// NAME.vl.json and the tables of NAME.md, each atomically. The observer hears
/// of finished cells. Throws IoError, naming the cell, when a process fails,
/// where cells that are finished stay, and when a result in FROM is asked for
/// and is none; InvalidArgument when only finished cells are to be shown and
/// there are none.
RunResult run_experiment(const Experiment& experiment,
                         const RunOptions& options, Observer* observer);

/// One cell, computed here and stored: what the processes do. Throws
/// InvalidArgument for a key that these settings do not have.
void run_cell(const Experiment& experiment, const RunOptions& options,
              const std::string& key);

/// The settings with the seeds filled in. Throws InvalidArgument with the
/// sentence of the experiment when the settings lack something.
Settings resolve(const Experiment& experiment, Settings settings);

}  // namespace sbog::paper
