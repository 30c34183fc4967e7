// SPDX-License-Identifier: Apache-2.0
// Rows of robust logits, one row per SIMD lane; see robust_logits.h.
#pragma once

#include <cstddef>

namespace sbog::detail {

/// Row r: `atoms` values from values + r * value_stride, costs from costs + (r
/// / classes) * cost_stride.
template <typename T>
struct RobustRows {
  const T* values;
  std::size_t value_stride;
  const T* costs;
  std::size_t cost_stride;
  std::size_t atoms;
  std::size_t classes;
  const double* log2_weights;  ///< kAbsentLogit for weight 0
  const double* signs;         ///< per row: +1 raised, -1 lowered
  double epsilon;
  double radius;
};

/// Results of row r at r, or at r * stride; null: not wanted.
template <typename T>
struct RobustTargets {
  T* values;
  T* lambdas;
  T* tilted;
  std::size_t tilted_stride;
  T* cost_gradients;
  std::size_t gradient_stride;
};

/// Doubles of scratch per atom.
std::size_t robust_scratch();

/// Solves rows [first, first + count). Returns false when a row holds a value
/// that is not finite or beyond 1e300, a negative or NaN cost, or no support.
template <typename T>
[[nodiscard]] bool solve_robust_rows(const RobustRows<T>& rows,
                                     std::size_t first, std::size_t count,
                                     const RobustTargets<T>& out,
                                     double* scratch);

}  // namespace sbog::detail
