// SPDX-License-Identifier: Apache-2.0
// Moments of Gibbs weights from logits, compiled for every SIMD target.
#pragma once

#include <cstddef>

namespace sbog::detail {

/// Logits of a group of queries, [atom][lane] as block_logits writes them;
/// `width` is a multiple of lane_count<T>().
template <typename T>
struct GibbsLogits {
  const T* logits;
  std::size_t atoms;
  std::size_t width;
  /// One per atom, in base 2; null: all 0.
  const T* log2_weights;
};

/// Sums over the atoms for each lane, with y = (logit - top) scale + log2
/// weight, at most 127 and counted as -100 where it is lower, and w = 2^y.
struct GibbsSums {
  double* weight;  ///< sum of w
  double* first;   ///< sum of w y
  double* second;  ///< sum of w y^2
};

/// Lanes run over queries: the sums of one do not depend on the others.
/// `top`, `scale` and the sums have `width` entries.
template <typename T>
void gibbs_sums(const GibbsLogits<T>& group, const T* top, const T* scale,
                const GibbsSums& sums);

}  // namespace sbog::detail
