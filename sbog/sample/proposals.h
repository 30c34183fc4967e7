// SPDX-License-Identifier: Apache-2.0
// Step 2 of the sampler: Gaussian proposals around an anchor, projected back to
// the latent space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/inner_product.h"
#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/sample/sampler_options.h"

namespace sbog {

/// Projects a point in place. False when it cannot be (zero on the sphere):
/// such a proposal is infeasible.
bool project(const SamplerOptions& options, std::span<double> point);

/// project(anchor + sigma xi_j), xi_j from the stream's normals of proposal j,
/// computed in double and rounded to T. False for an invalid proposal: then
/// `out` is the anchor itself.
template <typename T>
bool draw_proposal(const PhiloxStream& stream, std::span<const double> anchor,
                   const SamplerOptions& options, std::uint32_t j,
                   std::span<T> out);

/// Rows 0..M-1 of `out`: proposals 0..M-1, with one entry of `is_valid` each.
template <typename T>
void draw_proposals(const PhiloxStream& stream, std::span<const double> anchor,
                    const SamplerOptions& options, MatrixView<T> out,
                    std::vector<bool>& is_valid);

}  // namespace sbog
