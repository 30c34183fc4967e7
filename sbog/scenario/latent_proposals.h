// SPDX-License-Identifier: Apache-2.0
// Targets near an anchor's point z, accepted by their energy:
//   isotropic  v = Pi(z + sigma xi), tau <= E(v): the law of the sampler
//   tangent    v = Pi(z + length u), u drawn from where single edits lead, tau
//              <= E(v) <= tau + 0.06: for wide latents, where most isotropic
//              directions leave the image of the encoder
// The first try takes the highest energy of a round, later ones any that
// passes. Draws are keyed by seed, output, try and round (nn/random.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sbog/scenario/latent_bank.h"
#include "sbog/scenario/screen.h"

namespace sbog::series {

/// Where targets come from.
enum class ProposalLaw {
  kAuto,       ///< isotropic, or tangent when those are hard to reach
  kIsotropic,  ///< see the top of the file
  kTangent,    ///< see the top of the file
  kEditFirst,  ///< none: random edits whose windows happen to lie outside
};

/// "auto", "isotropic", "tangent", "edit-first".
const char* to_string(ProposalLaw law);
/// The reverse; throws InvalidArgument that lists the names.
ProposalLaw parse_proposal_law(std::string_view name);

/// Settings.
struct ProposalSettings {
  double sigma = 0.05;
  std::size_t count = 128;      ///< proposals of a round
  std::size_t max_rounds = 64;  ///< below 4096
  double band = 0.06;           ///< above the threshold, tangent only
};

/// What keys a draw.
struct DrawKey {
  std::uint64_t seed = 0;
  std::size_t output = 0;
  std::size_t attempt = 0;  ///< 0: the first try; below 16
};

/// A target.
struct LatentTarget {
  std::vector<double> point;
  double energy = 0.0;
  std::size_t rounds = 0;    ///< played
  std::size_t feasible = 0;  ///< in the last one
};

/// Around the point of a screen; nothing when no round had a feasible proposal.
/// `law` is kIsotropic or kTangent.
std::optional<LatentTarget> draw_target(const LatentBank& bank,
                                        const Screen& screen, ProposalLaw law,
                                        const ProposalSettings& settings,
                                        const DrawKey& key);

/// Where single edits lead: at most four orthogonal directions (rows) with
/// lengths relative to the first. Moves longer than 0.3 are cut. Empty without
/// moves.
struct TangentBasis {
  Matrix<double> directions;
  std::vector<double> lengths;
};
TangentBasis tangent_basis(const Screen& screen);

}  // namespace sbog::series
