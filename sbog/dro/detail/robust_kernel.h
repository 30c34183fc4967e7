// SPDX-License-Identifier: Apache-2.0
// Rows of robust logits, one row per SIMD lane; see robust_logits.h.
#pragma once

#include <cstddef>

namespace sbog::detail {

/// Costs of sample b from costs + b * stride.
template <typename T>
struct RobustSamples {
  const T* costs;
  std::size_t stride;
  std::size_t atoms;
  const double* log2_weights;  ///< kAbsentLogit for weight 0
  double epsilon;
};

/// log2 Q and Q of samples [first, first + count), at b * atoms. False when a
/// cost is negative or NaN, or a sample has no support.
template <typename T>
[[nodiscard]] bool robust_sample_laws(const RobustSamples<T>& samples,
                                      std::size_t first, std::size_t count,
                                      double* log2_q, double* q,
                                      double* scratch);

/// Largest distance of two rows of values.
inline constexpr std::size_t kLargestStride = std::size_t{1} << 24;

/// Row r: `atoms` values from values + r * value_stride; the laws of sample r /
/// classes as robust_sample_laws leaves them.
template <typename T>
struct RobustRows {
  const T* values;
  std::size_t value_stride;
  const double* log2_q;
  const double* q;
  std::size_t atoms;
  std::size_t classes;
  const double* signs;  ///< per row: +1 raised, -1 lowered
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

/// Doubles of scratch per atom, for both functions.
std::size_t robust_scratch();

/// Solves rows [first, first + count). False when a value is not finite or
/// beyond 1e300.
template <typename T>
[[nodiscard]] bool solve_robust_rows(const RobustRows<T>& rows,
                                     std::size_t first, std::size_t count,
                                     const RobustTargets<T>& out,
                                     double* scratch);

}  // namespace sbog::detail
