// SPDX-License-Identifier: Apache-2.0
// What a run of `sbog generate` reads; `sbog evaluate RUN` reads it again.
#pragma once

#include <cstdint>
#include <vector>

#include "generate_options.h"
#include "sbog/base/matrix.h"
#include "sbog/data/array.h"
#include "sbog/sample/sampler.h"

namespace sbog::cli {

/// Everything in memory.
template <typename T>
struct RunInputs {
  LoadedMatrix<T> bank;
  std::vector<std::int64_t> labels;
  LoadedMatrix<double> metric;
  std::vector<double> losses;
  Matrix<double> anchors;  ///< one row per class, or none

  std::uint64_t checksum() const;
  std::size_t class_count() const;
  /// Looks into the inputs, which must stay where they are.
  SampleProblem<T> problem() const {
    return {bank.view(), labels, anchors.view(), losses};
  }
};

/// Loads the files that the arguments name. Throws IoError, InvalidArgument.
template <typename T>
RunInputs<T> load_inputs(const GenerateArguments& arguments);

/// Outliers asked for from class number c; the first class gets the most.
std::size_t count_of_class(const GenerateArguments& arguments, std::size_t c,
                           std::size_t classes);

}  // namespace sbog::cli
