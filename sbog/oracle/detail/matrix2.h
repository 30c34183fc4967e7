// SPDX-License-Identifier: Apache-2.0
// Algebra of 2 x 2 matrices and vectors of two.
#pragma once

#include <cmath>

#include "sbog/oracle/var_process.h"

namespace sbog::detail {

inline Matrix2 multiply(const Matrix2& a, const Matrix2& b) {
  Matrix2 out{};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
    }
  }
  return out;
}

inline Vector2 multiply(const Matrix2& a, const Vector2& x) {
  return {a[0][0] * x[0] + a[0][1] * x[1], a[1][0] * x[0] + a[1][1] * x[1]};
}

inline Matrix2 transpose(const Matrix2& a) {
  return {{{a[0][0], a[1][0]}, {a[0][1], a[1][1]}}};
}

/// a + scale * b.
inline Matrix2 add(const Matrix2& a, const Matrix2& b, double scale = 1.0) {
  Matrix2 out = a;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) out[i][j] += scale * b[i][j];
  }
  return out;
}

/// a + scale * b.
inline Vector2 add(const Vector2& a, const Vector2& b, double scale = 1.0) {
  return {a[0] + scale * b[0], a[1] + scale * b[1]};
}

inline double dot(const Vector2& a, const Vector2& b) {
  return a[0] * b[0] + a[1] * b[1];
}

inline double trace(const Matrix2& a) { return a[0][0] + a[1][1]; }

inline double determinant(const Matrix2& a) {
  return a[0][0] * a[1][1] - a[0][1] * a[1][0];
}

inline Matrix2 inverse(const Matrix2& a) {
  const double d = determinant(a);
  return {{{a[1][1] / d, -a[0][1] / d}, {-a[1][0] / d, a[0][0] / d}}};
}

/// b a b'.
inline Matrix2 congruence(const Matrix2& b, const Matrix2& a) {
  return multiply(multiply(b, a), transpose(b));
}

/// Whether a symmetric matrix is positive definite.
inline bool is_positive_definite(const Matrix2& a) {
  return a[0][0] > 0.0 && determinant(a) > 0.0;
}

/// Lower factor L of a = L L' for a positive definite matrix.
inline Matrix2 cholesky(const Matrix2& a) {
  const double first = std::sqrt(a[0][0]);
  const double below = a[1][0] / first;
  return {{{first, 0.0}, {below, std::sqrt(a[1][1] - below * below)}}};
}

}  // namespace sbog::detail
