// SPDX-License-Identifier: Apache-2.0
// Answers of a model that comes from elsewhere, checked and put in rows.
#pragma once

#include <cstddef>
#include <string>

#include "sbog/base/matrix.h"
#include "sbog/data/array.h"

namespace sbog::job {

/// What answers are expected to.
struct AskedCases {
  std::size_t count = 0;
  std::size_t width = 1;  ///< rows of a window; 1: no windows
  std::size_t first = 0;  ///< number of the first of them, for messages
};

/// The cases of an array: of rank 3 windows of so many rows.
AskedCases asked_cases(const Array& cases);

/// One row per case; of windows a list of one number for each of their rows
/// becomes a row per window. Throws IoError that begins with `name` for another
/// number of answers and for NaN.
Matrix<double> shaped_answers(const std::string& name, const Array& answers,
                              const AskedCases& cases);

}  // namespace sbog::job
