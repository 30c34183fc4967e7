// SPDX-License-Identifier: Apache-2.0
// The job `demo`: the main job on embedded data, with a report. A series is
// edited, a detector is learnt from it and asked about the edits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/job/detect_train.h"
#include "sbog/job/events.h"
#include "sbog/job/generate.h"
#include "sbog/job/kind.h"
#include "sbog/job/stress.h"

namespace sbog::job {

/// What `demo` can be told.
struct DemoOptions {
  Kind kind = Kind::kAuto;  ///< kAuto: a series, then points
  /// Folder of the run, of several their folders inside; empty: sbog-demo/ and
  /// the kind.
  std::string out;
  std::uint64_t seed = 0;
};

const OptionTable<DemoOptions>& demo_option_table();

/// Energies of the embedded bank and of nine other points.
struct DemoEnergies {
  double epsilon = 0.0;
  std::size_t bank_rows = 0;
  double threshold = 0.0;
  double median = 0.0;
  double highest = 0.0;
  std::vector<double> queries;
};

/// One kind of data.
struct DemoPart {
  Kind kind = Kind::kPoints;
  GenerateResult run;
  std::string report;                    ///< path of the page
  std::optional<DemoEnergies> energies;  ///< of points
  std::optional<StressResult> stress;    ///< of a series
};

/// What came out.
struct DemoResult {
  Status status = Status::kDone;
  std::vector<DemoPart> parts;
};

/// Runs and detectors that are there already are not made again. Throws
/// IoError.
DemoResult run(const DemoOptions& options, Events& events,
               const Context& context = {});
nlohmann::json to_json(const DemoResult& result);

/// The jobs that a demo of one kind runs: kinds other than kAuto.
GenerateOptions demo_generate_options(const DemoOptions& options);
DetectTrainOptions demo_detector_options(const DemoOptions& options);
StressOptions demo_stress_options(const DemoOptions& options);

/// Those jobs as command lines which make the same, one per line.
std::vector<std::string> demo_command_lines(const DemoOptions& options);

}  // namespace sbog::job
