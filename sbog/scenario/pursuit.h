// SPDX-License-Identifier: Apache-2.0
// The search for a few edits that lead a window's point to a target: slot by
// slot, screen the library, look at the best exactly, refine all edits
// together, prefer the simplest of what does equally well, and drop what turns
// out not to be needed. A channel is edited once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/scenario/edit_objective.h"
#include "sbog/scenario/refine.h"
#include "sbog/scenario/screen.h"

namespace sbog::series {

/// Settings of pursue_target.
struct PursuitOptions {
  std::size_t slots = 3;     ///< edits at most
  std::size_t per_kind = 5;  ///< candidates of a kind that are looked at
  std::size_t starts = 6;    ///< candidates that are refined
  RefineSettings refine;
};

/// What was found.
struct PursuitResult {
  ScoredEdits best;  ///< in slot order; without edits when none helps
  /// The other refined lists of the slot that `best` came from, best first.
  std::vector<ScoredEdits> others;
};

/// Searches from the unedited window. `first` is the screen of that window,
/// `threshold` the energy that dropping an edit must not fall below.
PursuitResult pursue_target(EditObjective& objective,
                            std::span<const Edit> library, const Screen& first,
                            double threshold, const PursuitOptions& options);

}  // namespace sbog::series
