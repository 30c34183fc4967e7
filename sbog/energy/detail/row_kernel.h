// SPDX-License-Identifier: Apache-2.0
// Lengths, products and transposes of rows, fast on every SIMD target and to
// the same bits.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "sbog/base/matrix.h"

namespace sbog::detail {

/// sum of squares in double: eight partial sums side by side, added up in
/// order, as sum_terms does, so that the bits do not depend on the CPU.
double squared_norm(std::span<const float> row);
double squared_norm(std::span<const double> row);

/// out[i] = <rows_i, x> in double, each as eight partial sums side by side that
/// are added up in order. `out` has one entry per row.
void row_dots(MatrixView<const float> rows, std::span<const double> x,
              std::span<double> out);
void row_dots(MatrixView<const double> rows, std::span<const double> x,
              std::span<double> out);

/// out += sum_i factors[i] rows_i, rows in order.
void add_rows(MatrixView<const float> rows, std::span<const double> factors,
              std::span<double> out);
void add_rows(MatrixView<const double> rows, std::span<const double> factors,
              std::span<double> out);

/// packed[k * width + i] = rows(i, k) * factors[i] for the rows, 0 in the lanes
/// from rows.rows() to width and for k from rows.cols() to dim. `factors` has
/// width entries, `packed` dim * width; width is a multiple of the lanes of T.
void pack_rows(MatrixView<const float> rows, std::span<const float> factors,
               std::size_t width, std::size_t dim, float* packed);
void pack_rows(MatrixView<const double> rows, std::span<const double> factors,
               std::size_t width, std::size_t dim, double* packed);

/// Largest and smallest squared length under which neither |z-u|^2 (at most
/// four times as large) nor the inverse of a length leaves the range of T.
template <typename T>
inline constexpr double kLargestSquare =
    static_cast<double>(std::numeric_limits<T>::max()) / 4;
template <typename T>
inline constexpr double kSmallestSquare =
    static_cast<double>(std::numeric_limits<T>::min());

/// Whether a row of that squared length can be normalised; false for NaN.
template <typename T>
bool has_usable_length(double norm2) {
  return norm2 >= kSmallestSquare<T> && norm2 <= kLargestSquare<T>;
}

}  // namespace sbog::detail
