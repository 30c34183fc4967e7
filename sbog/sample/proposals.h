// SPDX-License-Identifier: Apache-2.0
// Step 2 of the sampler: proposals around an anchor, projected back to the
// latent space. Three laws: isotropic Gaussian steps, Gaussian steps of a shape
// (step_shape.h), and steps of a bounded length along a few directions that the
// caller gives (tangent).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/inner_product.h"
#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/sample/sampler_options.h"
#include "sbog/sample/step_shape.h"
#include "sbog/sample/subspace.h"

namespace sbog {

/// Projects a point in place and holds it to the rules, if there are any;
/// `anchor` is where its step began, if it began somewhere. False when it
/// cannot be (zero on the sphere): such a proposal is infeasible.
bool project(const SamplerOptions& options, std::span<double> point,
             std::span<const double> anchor = {});

/// The tangent law: steps of length u * longest, u uniform on (0, 1) but at
/// least 0.2, in the direction of sum_b weights[b] xi_b directions[b].
struct TangentLaw {
  Matrix<double> directions;    ///< one per row, of unit length
  std::vector<double> weights;  ///< one per direction
  double longest = 0.2;
  double ceiling = 0.06;  ///< highest score above the threshold that passes
};

/// What a round draws from.
struct ProposalSource {
  std::span<const double> anchor;
  StepScale scale = {};                 ///< of Gaussian steps
  const StepShape* shape = nullptr;     ///< null: isotropic
  const TangentLaw* tangent = nullptr;  ///< null: Gaussian; wins over a shape
};

/// project(anchor + step), the step drawn from the numbers of proposal j
/// (isotropic: sigma xi_j by PhiloxStream), computed in double and rounded to
/// T. False for an invalid proposal: then `out` is the anchor itself. Not for
/// shaped steps, which come many at a time.
template <typename T>
bool draw_proposal(const RoundKey& key, const ProposalSource& source,
                   const SamplerOptions& options, std::uint32_t j,
                   std::span<T> out);

/// Rows 0..M-1 of `out`: proposals 0..M-1, with one entry of `is_valid` each.
/// Normals of shaped steps are laid out as detail/normal_tile.h says.
template <typename T>
void draw_proposals(const RoundKey& key, const ProposalSource& source,
                    const SamplerOptions& options, MatrixView<T> out,
                    std::vector<bool>& is_valid);

/// `count` steps of the law from the key's numbers, as rows, before any scale:
/// what the shape or an isotropic law adds to an anchor with sigma 1.
Matrix<double> draw_steps(const RoundKey& key, const StepShape* shape,
                          std::size_t dim, std::size_t count);

}  // namespace sbog
