// SPDX-License-Identifier: Apache-2.0
// Detectors with a learned encoder, as cells of tables: one encoder, then runs
// that differ in how the negatives of the classification stage come about.
#pragma once

#include <string>
#include <vector>

#include "paper/experiment.h"

namespace sbog::paper {

/// One run of a cell.
struct LearnedRun {
  std::string name;               ///< of its row
  std::string rule;               ///< "carla", "sbog-paper" and so on
  std::string carrier{"latent"};  ///< or "lifted", "retrieval", "window"
  std::size_t refresh = 0;        ///< epochs between refreshes, 0: frozen
  Json sampler{};  ///< fields of the sampler that differ, or null
};

/// What the encoder of a cell is trained with. Stride 5 for all sets.
struct LearnedEncoder {
  std::string loss{"info-nce"};  ///< or "pull-push", "hinge"
  bool is_small = false;         ///< short windows and few epochs
};

/// The fields of a configuration: encoder, classification stage, and the runs
/// with the effective options of their samplers.
Json learned_fields(const LearnedEncoder& encoder,
                    const std::vector<LearnedRun>& runs);

/// Trains the encoder, or takes it from the scratch folder, and does the runs.
/// The result has "entity", "encoder" and "rows", two for each run: "NAME" with
/// the score normal_set and "NAME, majority". A run without negatives, because
/// points coincide, counts as flagging everything, collapsed, with the reason
/// as "failure". The configuration also names a
/// series and a seed.
Json compute_learned(const Json& configuration, const CellContext& context);

}  // namespace sbog::paper
