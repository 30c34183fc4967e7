// SPDX-License-Identifier: Apache-2.0
// Sums over one block of atoms of the tilted Gibbs rows
//   Q_ij exp(theta g_j),  log2 Q_ij = logit_ij - peak_i - log2_sum_i,
// for a group of rows i, compiled for every SIMD target. Lanes run over rows,
// so nothing is added across lanes except in the law. Logits may be float;
// everything else is double.
#pragma once

#include <cstddef>

namespace sbog::detail {

/// A theta above every sensible one: only the largest gain of a row is left.
inline constexpr double kInfiniteTheta = 1e300;

/// Below this theta (|g - center| <= 1) the sums of add_small_tilt are used:
/// they lose no digits as theta goes to 0.
inline constexpr double kSmallTheta = 0.5;

/// Logits of `atoms` (at most 256) atoms against `width` rows, [atom][lane]; an
/// atom at or below kAbsentLogit is not there. gains[j] = g_j.
template <typename T>
struct TiltTile {
  const T* logits;
  std::size_t atoms;
  std::size_t width;
  const double* gains;
};

/// What is known of each row, `width` entries each. Gains are used relative to
/// `top`, the largest gain of the row's support, and cut at 0.
struct TiltRows {
  const double* peak;
  const double* log2_sum;
  const double* top;
  /// E_Q[g] - top; read by add_small_tilt only.
  const double* center;
};

/// Running sums of each row, `width` entries each.
struct TiltSums {
  double* max;
  double* s0;
  double* s1;
  double* s2;
};

/// With t = g_j - top and e = Q exp(theta t) 2^-max: s0 += e, s1 += e t,
/// s2 += e t^2, rescaled when max (base 2) grows. Start: max = kLowestMax,
/// sums 0.
template <typename T>
void add_tilt(const TiltTile<T>& tile, double theta, const TiltRows& rows,
              const TiltSums& sums);
inline constexpr double kLowestMax = -1e29;

/// With x = t - center, y = theta x and q(y) = (exp(y) - 1 - y) / y^2:
/// s0 += Q x^2 q, s1 += Q x^2 (exp(y) - 1) / y, s2 += Q x^2 exp(y). All terms
/// are positive. `max` is not used. theta <= kSmallTheta.
template <typename T>
void add_small_tilt(const TiltTile<T>& tile, double theta, const TiltRows& rows,
                    const TiltSums& sums);

/// law[j] += sum over the rows of weight * Q_j exp(theta t) 2^-log2_partition.
template <typename T>
void add_law(const TiltTile<T>& tile, double theta, const TiltRows& rows,
             const double* log2_partition, const double* weights, double* law);

}  // namespace sbog::detail
