// SPDX-License-Identifier: Apache-2.0
// Adam on the parameters of a list of edits, each in its own unit: a / a0,
// s / 40, e / 40, 2 ln P and f.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/scenario/edit_objective.h"

namespace sbog::series {

/// Settings of refine_edits.
struct RefineSettings {
  std::size_t steps = 40;
  double rate = 0.08;  ///< falls along a cosine to a twentieth
};

/// Edits with their score.
struct ScoredEdits {
  std::vector<Edit> edits;
  EditScore score;
};

/// Follows the gradient from the given edits, keeping every parameter in its
/// range, and returns the best that was seen, not the last.
ScoredEdits refine_edits(EditObjective& objective, std::vector<Edit> edits,
                         const RefineSettings& settings);

}  // namespace sbog::series
