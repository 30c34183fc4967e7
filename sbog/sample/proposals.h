// SPDX-License-Identifier: Apache-2.0
// Step 2 of the sampler: Gaussian proposals around an anchor, projected back to
// the latent space.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/sample/sampler_options.h"

namespace sbog {

/// Projects a point in place. False when it cannot be (zero on the sphere):
/// such a proposal is infeasible.
bool project(const SamplerOptions& options, std::span<double> point);

/// Rows 0..M-1 of `out`: project(anchor + sigma xi_j), xi_j from the stream's
/// normals of proposal j, computed in double and rounded to T. `is_valid` has
/// one entry per row; the row of an invalid proposal is the anchor itself.
template <typename T>
void draw_proposals(const PhiloxStream& stream, std::span<const double> anchor,
                    const SamplerOptions& options, MatrixView<T> out,
                    std::vector<bool>& is_valid);

/// <a, b> in double, in a fixed order, several partial sums at once.
template <typename A, typename B>
double inner_product(std::span<const A> a, std::span<const B> b) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  const std::size_t whole = a.size() / kSums * kSums;
  for (std::size_t k = 0; k < whole; k += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) {
      sums[s] += static_cast<double>(a[k + s]) * static_cast<double>(b[k + s]);
    }
  }
  for (std::size_t k = whole; k < a.size(); ++k) {
    sums[k - whole] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  }
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

/// Cosine of two vectors; 0 when one of them is 0.
template <typename A, typename B>
double cosine_of(std::span<const A> a, std::span<const B> b) {
  const double aa = inner_product<A, A>(a, a);
  const double bb = inner_product<B, B>(b, b);
  if (aa == 0.0 || bb == 0.0) return 0.0;
  return inner_product<A, B>(a, b) / std::sqrt(aa * bb);
}

}  // namespace sbog
