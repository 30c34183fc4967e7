// SPDX-License-Identifier: Apache-2.0
// The model under test: a file of `sbog detect train`, a command, or a
// function.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/data/array.h"
#include "sbog/job/events.h"
#include "sbog/job/kind.h"
#include "sbog/series/series.h"
#include "sbog/stress/outcomes.h"

namespace sbog::job {

/// Where the windows of a batch were recorded, for detectors that look at the
/// rows around them.
struct WindowPlaces {
  const Series* recording = nullptr;  ///< null: not known
  std::vector<std::size_t> starts;    ///< first row of each window
};

/// Some cases or controls: rows x columns, windows x rows x channels, or images
/// x channels x height x width of 8 bits.
struct StressBatch {
  Array values;
  WindowPlaces places;
};

/// One row of numbers for each case: scores, probabilities or losses. May throw
/// IoError and InvalidArgument; an empty matrix says that it was stopped.
using StressModel = std::function<Matrix<double>(const StressBatch& batch)>;

/// A model with what is known of it.
struct StressSubject {
  StressModel model;
  std::string words;  ///< what the report calls it
  std::optional<stress::Task> task;
  std::optional<double> threshold;  ///< its own
  bool needs_recording = false;     ///< of windows
};

/// How a model is given.
struct SubjectOptions {
  std::string model;        ///< a file, or a command with {cases} and {out}
  Kind kind = Kind::kAuto;  ///< what the cases are
  std::optional<double> level;
  double timeout_seconds = 600.0;
  std::string folder;  ///< for files of a command
  std::string log;
  std::vector<std::string> channels;  ///< of windows
};

/// Whether the text of --model is a command and no file: it has a blank or a
/// placeholder.
bool is_model_command(const std::string& model);

/// Whether it is a file with a detector of points; false for what cannot be
/// read and for commands.
bool is_point_model(const std::string& model);

/// Whether the name of a file says that it is TorchScript.
bool is_script_model(const std::string& model);

/// Reads a detector or a TorchScript file, or checks a command. Throws IoError,
/// InvalidArgument.
StressSubject open_subject(const SubjectOptions& options, Events& events,
                           const Context& context);

}  // namespace sbog::job
