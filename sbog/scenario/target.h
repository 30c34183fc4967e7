// SPDX-License-Identifier: Apache-2.0
// Targets near an anchor's point z, drawn by the sampler (class_sampler.h) with
// one of its laws of proposals:
//   isotropic  steps in all directions
//   tangent    steps where single edits lead: for wide latents, where most
//              directions leave the image of the encoder
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sbog/sample/proposals.h"
#include "sbog/scenario/latent_bank.h"
#include "sbog/scenario/screen.h"

namespace sbog::series {

/// Where targets come from.
enum class TargetLaw {
  kAuto,       ///< isotropic, or tangent when those are hard to reach
  kIsotropic,  ///< see the top of the file
  kTangent,    ///< see the top of the file
  kEditFirst,  ///< none: random edits whose windows happen to lie outside
};

/// "auto", "isotropic", "tangent", "edit-first".
const char* to_string(TargetLaw law);
/// The reverse; throws InvalidArgument that lists the names.
TargetLaw parse_target_law(std::string_view name);

/// One draw of a target.
struct TargetDraw {
  std::size_t anchor = 0;   ///< index among the anchors of the bank
  std::size_t output = 0;   ///< this and the next key the random streams
  std::size_t attempt = 0;  ///< 0: the first try; below 16
  std::size_t max_rounds = 64;
};

/// A target.
struct LatentTarget {
  std::vector<double> point;
  double energy = 0.0;
};

/// Where single edits lead: at most four orthogonal directions with weights
/// relative to the first. Moves longer than 0.3 are cut. Empty without moves.
TangentLaw tangent_law(const Screen& screen);

/// Near an anchor, whose window `screen` has looked at; nothing when no round
/// had a feasible proposal. `law` is kIsotropic or kTangent.
std::optional<LatentTarget> draw_target(const LatentBank& bank,
                                        const Screen& screen, TargetLaw law,
                                        const TargetDraw& draw);

}  // namespace sbog::series
