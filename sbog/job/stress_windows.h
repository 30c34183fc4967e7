// SPDX-License-Identifier: Apache-2.0
// Windows of a run on a series as the cases of a stress test, and the choice of
// controls.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/job/stress_cases.h"

namespace sbog::job {

/// Rows, or windows, that serve as controls.
struct ControlChoice {
  std::vector<std::size_t> sources;
  std::vector<std::size_t> others;
};

/// At most control_count of [0, rows) by the seed: half of them sources of
/// cases (increasing), half others, more of one where there are too few of the
/// other.
ControlChoice choose_controls(const std::vector<std::size_t>& sources,
                              std::size_t rows,
                              const StressInputOptions& options);

/// The rows as a matrix of their own.
Matrix<float> copied(MatrixView<const float> rows);

/// Cases and controls of a run on a series: kinds, channels and numbers of
/// edits from decoded/edits.json, windows in raw units.
StressInputs load_windows(const FinishedRun& run,
                          const StressInputOptions& options, Events& events);

}  // namespace sbog::job
