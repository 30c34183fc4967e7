// SPDX-License-Identifier: Apache-2.0
// The job `stress`: asks a model about the outliers of a run and says where it
// breaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/events.h"
#include "sbog/job/generate.h"
#include "sbog/job/stress_cases.h"
#include "sbog/job/stress_model.h"
#include "sbog/stress/sampler_space.h"
#include "sbog/stress/seek.h"
#include "sbog/stress/verdict.h"
#include "sbog/stress/worst_loss.h"

namespace sbog::job {

/// How failures are sought, for points.
struct SeekSettings {
  bool seek = false;
  std::size_t rounds = 4;
  std::size_t budget = 20000;
  std::optional<double> radius;  ///< in units of the cost; 2.3 epsilon
};

/// What `stress` can be told.
struct StressOptions {
  std::string input;  ///< folder of a finished run, or data to make one from
  std::string out;    ///< folder of the run that is made; not with a run

  std::string model;  ///< a file, or a command with {cases} and {out}
  std::string predictions;
  std::string control_predictions;
  /// In place of them, for programs: a function, and what reports call it.
  StressModel function;
  std::string function_name = "function";

  /// Of a run on images: "images" or "points"; empty: images where there are
  /// some and the model is no detector of points.
  std::string case_kind;
  std::string task;  ///< empty: by the shape of the answers
  std::optional<double> threshold;
  std::optional<double> level;
  std::string failure = "accepted";
  std::string controls;
  std::size_t control_count = 1000;
  double timeout = 600.0;
  std::size_t batch = 4096;  ///< cases in one call
  bool resume = false;

  double tolerance = 0.1;
  std::vector<std::string> require;
  std::vector<double> loss_radius;  ///< of the worst expected loss
  std::size_t top = 10;             ///< weak spots that are listed
  SeekSettings seek;
  std::uint64_t seed = 0;

  /// Options of `generate` for data, as they were given.
  std::vector<Assignment> made_with;
};

const OptionTable<StressOptions>& stress_option_table();

/// What came of seeking.
struct StressSeek {
  stress::SeekResult result;
  double radius = 0.0;
  double epsilon = 0.0;
  std::size_t failures_before = 0;  ///< in the first pool
  std::size_t failures = 0;         ///< in the last one
  /// Where each point of the last pool comes from.
  std::vector<stress::SeekOrigin> origins;
  std::string file;  ///< points that fail, .npy; empty: none
};

/// What came out: kNotReached when a gate is not passed.
struct StressResult {
  Status status = Status::kDone;
  StressOptions options;
  std::string run;    ///< its folder
  std::string model;  ///< in words
  Kind kind = Kind::kPoints;
  std::vector<CaseFacts> facts;
  std::string control_words;
  stress::Verdict verdict;
  std::string threshold_source;  ///< "given", "model" or "controls"
  std::optional<stress::WorstLosses> worst_loss;
  std::optional<StressSeek> seek;
  std::vector<std::string> notes;  ///< worth knowing beside the numbers
  double seconds = 0.0;
};

/// Asks, judges, and writes stress.json, stress.csv and stress.junit.xml to the
/// run. Throws InvalidArgument for options that do not fit, IoError for files
/// and for a model that fails.
StressResult run(const StressOptions& options, Events& events,
                 const Context& context = {});

/// Cases in memory and what they were drawn from. Views only.
struct StressMemory {
  PointCases cases;
  SampleProblem<float> problem;
  SamplerOptions sampler;
  double epsilon = 0.0;  ///< in force
};

/// The same for options.function on cases in memory; no file is read or
/// written.
StressResult run(const StressMemory& memory, const StressOptions& options,
                 Events& events, const Context& context = {});
nlohmann::ordered_json to_json(const StressResult& result);

}  // namespace sbog::job
