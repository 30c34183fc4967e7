// SPDX-License-Identifier: Apache-2.0
// The cases and controls of a stress test, from a finished run of any kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/data/array.h"
#include "sbog/job/events.h"
#include "sbog/job/generate.h"
#include "sbog/job/kind.h"
#include "sbog/run/finished_run.h"
#include "sbog/series/series.h"
#include "sbog/stress/cases.h"

namespace sbog::job {

/// What a table says about a case.
struct CaseFacts {
  std::size_t row = 0;  ///< of outliers.npy, decoded/windows.npy or images.npy
  std::size_t outlier = 0;      ///< row of outliers.npy; not of windows
  std::size_t anchor_row = 0;   ///< bank row, or first row of the window
  std::int64_t label = 0;       ///< of points and images
  std::string class_name;       ///< of points and images
  std::string severity;         ///< as in outliers.csv; empty: not known
  std::size_t region = 0;       ///< from 1
  std::string kinds, channels;  ///< of windows, joined by "+"
  std::string sentence;         ///< of windows
};

/// Everything a model is asked about.
struct StressInputs {
  Kind kind = Kind::kPoints;
  /// Rows x columns, windows x rows x channels, or images x channels x height
  /// x width of 8 bits.
  Array cases;
  Array controls;  ///< the same shape; none: no rows
  stress::Cases sorted;
  std::vector<CaseFacts> facts;
  /// Distinct labels of the bank, increasing; empty: none.
  std::vector<std::int64_t> labels;
  std::string control_words;  ///< what the controls are

  /// Of images: those in decoded/images.npy, of which some may be no cases.
  std::size_t rows_in_file = 0;

  // Of a series.
  std::vector<std::size_t> table_rows;  ///< of each window in outliers.csv
  std::vector<std::string> channels;
  std::optional<Series> recording;
  std::optional<Series> control_recording;  ///< of --controls
  std::vector<std::size_t> case_starts;
  std::vector<std::size_t> control_starts;
};

/// Outliers of points in memory, and what they were made from. Views only.
struct PointCases {
  MatrixView<const float> points;
  std::vector<CaseFacts> facts;  ///< one per case
  MatrixView<const float> bank;
  std::span<const std::int64_t> labels;  ///< one per bank row; empty: none
  MatrixView<const float> controls{};    ///< no rows: from the bank
  std::string control_source;            ///< "the rows of test.npy"
  bool is_on_sphere = true;              ///< controls are scaled to it
};

/// What is asked of a run.
struct StressInputOptions {
  /// What the cases of a run on images are: kImages or kPoints; kAuto: images
  /// where it has decoded some.
  Kind kind = Kind::kAuto;
  std::string controls;  ///< a file; empty: from the run
  std::size_t control_count = 1000;
  bool wants_controls = true;
  bool needs_recording = false;
  std::uint64_t seed = 0;
};

/// Reads cases and controls. Throws IoError when the run has none, or when what
/// it was made from is not there and needed; InvalidArgument for controls that
/// do not fit the cases.
StressInputs load_stress_inputs(const FinishedRun& run,
                                const StressInputOptions& options,
                                Events& events);

/// The same of cases in memory; options.controls is not read.
StressInputs load_stress_inputs(const PointCases& cases,
                                const StressInputOptions& options,
                                Events& events);

/// Names of the classes of a run by label; the label where one has no name.
std::map<std::int64_t, std::string> class_names_of(const FinishedRun& run);

/// Groups the cases by the names of their classes, if there are several.
void sort_by_class(StressInputs& inputs);

/// The columns of a classifier that the classes of the cases have: the labels
/// themselves where all are below the number of columns, else their rank where
/// there are as many; empty where neither holds.
std::vector<std::size_t> class_columns(const StressInputs& inputs,
                                       std::size_t columns);

/// "2": the severity in a table; nothing for anything but a whole number.
std::optional<int> severity_of_text(const std::string& text);

}  // namespace sbog::job
