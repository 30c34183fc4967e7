// SPDX-License-Identifier: Apache-2.0
// The job `report`: a run of any kind as one HTML page.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sbog/base/option_table.h"
#include "sbog/base/progress.h"
#include "sbog/job/events.h"
#include "sbog/report/report_data.h"

namespace sbog::job {

/// What `report` can be told.
struct ReportOptions {
  std::string run;
  std::string out;    ///< empty: report.html in the folder
  std::string bank;   ///< where the bank of a run on points is now, or empty
  std::string names;  ///< a file with one class name per line, or empty
  std::string items;  ///< of points: a file with a line per bank row, or empty
  std::size_t sample = ReportLimits::kBank;
  /// Whether metrics and certificate are computed when the run has none.
  bool compute_missing = true;
};

const OptionTable<ReportOptions>& report_option_table();

/// What was written.
struct ReportResult {
  Status status = Status::kDone;  ///< kStopped: nothing was written
  ReportOptions options;
  std::string path;
  std::size_t bytes = 0;
  std::size_t bank_shown = 0;
  std::size_t bank_total = 0;
};

/// Reads the run, computes what is missing and writes the page, whole or not at
/// all. Throws IoError when the folder holds no finished run or its files do
/// not fit together, InvalidArgument for options out of range.
ReportResult run(const ReportOptions& options, Events& events,
                 const Context& context = {});
nlohmann::ordered_json to_json(const ReportResult& result);

}  // namespace sbog::job
