// SPDX-License-Identifier: Apache-2.0
// The job `evaluate`: every metric of a run of any kind, or of outliers made
// elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/energy_options.h"
#include "sbog/job/events.h"
#include "sbog/metrics/evaluate_outliers.h"

namespace sbog::job {

/// What `evaluate` can be told: a run, whose settings are its own, or files
/// named as `load_array` takes them.
struct EvaluateOptions {
  std::string run;  ///< folder; empty: bank and outliers
  /// In-distribution points; of a run on points: where they are now.
  std::string bank;
  std::string outliers;
  std::string outlier_labels;
  std::string class_anchors;
  EnergySettings energy;
  std::string out;  ///< JSON; empty: metrics.json of a run, or nowhere
  std::uint64_t seed = 0;
};

const OptionTable<EvaluateOptions>& evaluate_option_table();

/// What came out.
struct EvaluateResult {
  Status status = Status::kDone;
  EvaluateOptions options;
  std::string kind;  ///< of the run; empty: files
  std::string out;   ///< where the metrics were written; empty: nowhere
  OutlierMetrics metrics;
  /// What they were computed with, but for the matrix of a Mahalanobis cost.
  OutlierOptions settings;
  std::size_t bank_rows = 0;
  std::size_t outlier_rows = 0;
  std::size_t dim = 0;
  std::size_t threads = 1;
  double seconds = 0.0;
};

/// The metrics.json of a run on a series says already how its scenarios went:
/// it keeps that. Throws InvalidArgument for options that make no sense,
/// IoError for files.
EvaluateResult run(const EvaluateOptions& options, Events& events,
                   const Context& context = {});
/// Everything but time and threads, which change from run to run. A threshold
/// that is infinite becomes null.
nlohmann::ordered_json to_json(const EvaluateResult& result);

// What evaluate.cpp and evaluate_run.cpp share.

/// Evaluates arrays in memory into the result. False when stopped.
template <typename T>
bool evaluate_arrays(const OutlierProblem<T>& problem,
                     const OutlierOptions& settings, Events& events,
                     const Context& context, EvaluateResult& result);
/// Evaluates the run that result.options name. False when stopped.
bool evaluate_run(Events& events, const Context& context,
                  EvaluateResult& result);

}  // namespace sbog::job
