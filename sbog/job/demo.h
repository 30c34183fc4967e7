// SPDX-License-Identifier: Apache-2.0
// The job `demo`: the main job on embedded data, with a report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sbog/base/option_table.h"
#include "sbog/job/events.h"
#include "sbog/job/generate.h"
#include "sbog/job/kind.h"

namespace sbog::job {

/// What `demo` can be told.
struct DemoOptions {
  Kind kind = Kind::kPoints;
  std::string out;  ///< empty: sbog-demo/ and the kind
  std::uint64_t seed = 0;
};

const OptionTable<DemoOptions>& demo_option_table();

/// What came out.
struct DemoResult {
  Status status = Status::kDone;
  Kind kind = Kind::kPoints;
  GenerateResult run;
  std::string report;  ///< path of the page
  // Of points only: energies of the embedded bank and of nine queries.
  double epsilon = 0.0;
  std::size_t bank_rows = 0;
  double threshold = 0.0;
  double median_energy = 0.0;
  double highest_energy = 0.0;
  std::vector<double> query_energies;
};

/// A run that is there already is not made again. Throws IoError.
DemoResult run(const DemoOptions& options, Events& events,
               const Context& context = {});
nlohmann::json to_json(const DemoResult& result);

/// The generate job that a demo runs.
GenerateOptions demo_generate_options(const DemoOptions& options);

/// That job as the command line which makes the same run.
std::string demo_command_line(const DemoOptions& options);

}  // namespace sbog::job
