// SPDX-License-Identifier: Apache-2.0
// A finished run folder, read back: its configuration, inputs and outliers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "generate_options.h"
#include "run_inputs.h"
#include "sbog/data/array.h"

namespace sbog::cli {

/// What the folder says about itself.
struct FinishedRun {
  std::string folder;
  nlohmann::json manifest;
  GenerateArguments arguments;
  std::uint64_t seed = 0;
  /// The entry of the manifest that the inputs are compared with.
  std::string checksum_name = "input_checksum";

  std::string file(const char* name) const;
};

/// The manifest of a finished run of any kind. Throws IoError when the folder
/// holds none.
nlohmann::json read_run_manifest(const std::string& folder);

/// The arguments of a run on images as those of one on points: its folder holds
/// bank, labels and class anchors.
GenerateArguments bank_of_run(const std::string& folder,
                              GenerateArguments arguments);

/// Opens the folder of a run on points or on images. The bank is `bank`, or
/// what the run was made from when that is empty; of a run on images it is in
/// the folder. Throws IoError when the folder holds no finished run,
/// InvalidArgument for a run on a series.
FinishedRun open_run(const std::string& folder, const std::string& bank);

/// The run's inputs. Throws IoError when they have changed since.
template <typename T>
RunInputs<T> load_run_inputs(const FinishedRun& run);

/// The run's options; `inputs` must outlive them.
template <typename T>
SamplerOptions run_options(const FinishedRun& run, const RunInputs<T>& inputs);

/// The outliers with some columns of their table.
template <typename T>
struct RunOutliers {
  LoadedMatrix<T> points;
  std::vector<std::int64_t> classes;
  std::vector<double> margins;
  std::vector<std::size_t> anchor_rows;
};

/// Throws IoError when there are none or the files do not fit together.
template <typename T>
RunOutliers<T> read_outliers(const FinishedRun& run);

}  // namespace sbog::cli
