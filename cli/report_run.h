// SPDX-License-Identifier: Apache-2.0
// report.html of a run folder, for `sbog report` and for commands that end
// with one.
#pragma once

#include <cstddef>
#include <string>

#include "console.h"
#include "generate_options.h"
#include "sbog/report/report_data.h"

namespace sbog::cli {

/// What `sbog report` can be asked.
struct ReportArguments {
  std::string run;
  std::string out;    ///< empty: report.html in the folder
  std::string bank;   ///< where the bank of the run is now, or empty
  std::string names;  ///< a file with one class name per line, or empty
  std::size_t sample = ReportLimits::kBank;
  /// Whether metrics and certificate are computed when the run has none.
  bool computes_missing = true;
};

/// What was written.
struct WrittenReport {
  std::string path;
  std::size_t bytes = 0;
  std::size_t bank_shown = 0;
  std::size_t bank_total = 0;
  bool is_interrupted = false;  ///< then nothing was written
};

/// Reads the run, computes what is missing and writes the page, whole or not at
/// all. Throws IoError when the folder holds no finished run or its files do
/// not fit together, InvalidArgument for options out of range.
WrittenReport write_report(const ReportArguments& arguments,
                           const CommonOptions& common);

/// The report at the end of `sbog generate`, unless --no-report was given; says
/// where it is, or why there is none. Metrics and certificate are left to
/// `sbog report`.
void end_with_report(const GenerateArguments& arguments,
                     const CommonOptions& common);

}  // namespace sbog::cli
