// SPDX-License-Identifier: Apache-2.0
// Step 4 of the sampler: which feasible proposal becomes the output.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/sample/sampler_options.h"

namespace sbog {

/// What the choice depends on.
struct SelectionProblem {
  std::span<const std::size_t> feasible;  ///< proposals, increasing
  std::span<const double> scores;         ///< of all proposals, for levels
  std::span<const double> acquisitions;   ///< of all proposals, for argmax
  double uniform = 0.5;  ///< in (0, 1): the draw of all picks but kArgmax
  double threshold = 0.0;
  double band = 0.0;
  double explore = 0.0;  ///< kMixed: draws below this are uniform picks
};

/// The feasible proposals in the order of preference; the first is the choice,
/// the others stand in when a closer look turns it down. kArgmax: highest
/// acquisition; kUniform: rotated to a uniform start; kLevel and kLangevin:
/// score closest to threshold + uniform * band; kMixed: kUniform where the draw
/// is below `explore`, else kArgmax. Ties by proposal.
std::vector<std::size_t> select_outlier(const SelectionProblem& problem,
                                        PickRule pick);

}  // namespace sbog
