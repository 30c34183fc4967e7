// SPDX-License-Identifier: Apache-2.0
// Small helpers for rows of points, all in double with a fixed order of
// summation.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sbog/base/matrix.h"

namespace sbog::detail {

/// <a, b>. Four running sums, so that one addition need not wait for another.
double dot(std::span<const double> a, std::span<const double> b);

/// |a - b|^2.
double squared_distance(std::span<const double> a, std::span<const double> b);

/// out = row / |row|; false, and out untouched, for a zero row.
template <typename T>
bool unit_row(std::span<const T> row, std::span<double> out);

/// Rows of a matrix as doubles, in the given order.
template <typename T>
Matrix<double> copy_rows(MatrixView<const T> points,
                         std::span<const std::size_t> rows);

/// Whether every row is long enough to have a direction; check_points with a
/// cosine cost throws for the others.
template <typename T>
bool has_directions(MatrixView<const T> points);

/// Throws InvalidArgument unless both have the same dimension.
void check_same_dimension(std::size_t first, std::size_t second,
                          const std::string& second_name);

}  // namespace sbog::detail
