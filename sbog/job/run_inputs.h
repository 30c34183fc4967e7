// SPDX-License-Identifier: Apache-2.0
// What a run on points reads; `evaluate` and `certify` read it again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/data/array.h"
#include "sbog/job/bank_rows.h"
#include "sbog/job/generate.h"
#include "sbog/run/finished_run.h"
#include "sbog/sample/sampler.h"
#include "sbog/table/table_code.h"

namespace sbog::job {

/// Everything in memory.
template <typename T>
struct RunInputs {
  LoadedMatrix<T> bank;
  BankRemarks remarks;
  std::vector<std::int64_t> labels;
  LoadedMatrix<double> metric;
  std::vector<double> losses;
  Matrix<double> anchors;  ///< one row per class, or none
  /// Of a table: how its rows are spelled as points; else null.
  std::shared_ptr<const table::TableCode> table;
  std::vector<std::string> class_names;  ///< of a table, by label; or none

  std::uint64_t checksum() const;
  std::size_t class_count() const;
  /// Looks into the inputs, which must stay where they are.
  SampleProblem<T> problem() const {
    return {bank.view(), labels, anchors.view(), losses};
  }
};

/// Loads the files that the options name. Throws IoError, InvalidArgument.
template <typename T>
RunInputs<T> load_inputs(const GenerateOptions& options);

/// Outliers asked for from class number c; the first class gets the most.
std::size_t count_of_class(const GenerateOptions& options, std::size_t c,
                           std::size_t classes);

/// The options of a finished run as it was given them. Throws IoError.
GenerateOptions given_options_of_run(const FinishedRun& run);

/// Whether a run was made of points that lie in its input: those of a series or
/// of images are in its folder.
bool reads_its_input(const FinishedRun& run);

/// The options of a finished run of any kind as those of one on points: what a
/// run on a series or on images made of its input (bank.npy and its
/// companions) is in its folder, and of a run on points `bank` may name where
/// its input is now. Throws IoError, InvalidArgument.
GenerateOptions options_of_run(const FinishedRun& run,
                               const std::string& bank = {});

/// The inputs of a finished run. Throws IoError when they have changed since.
template <typename T>
RunInputs<T> load_run_inputs(const FinishedRun& run,
                             const GenerateOptions& options);

/// How the outliers of a finished run were drawn; `inputs` must outlive them.
template <typename T>
SamplerOptions sampler_of_run(const GenerateOptions& options,
                              const RunInputs<T>& inputs);

/// The temperature of a finished run: the one that was given, or the median of
/// those that its classes were given by the data.
double epsilon_of_run(const FinishedRun& run, const SamplerOptions& options);

}  // namespace sbog::job
