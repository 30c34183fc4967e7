// SPDX-License-Identifier: Apache-2.0
// Chosen rows of a matrix, as a matrix of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "sbog/base/matrix.h"

namespace sbog {

/// Row i of the result is row `rows[i]` of `points`; a row may come twice.
template <typename T>
Matrix<T> copy_rows(MatrixView<const T> points,
                    std::span<const std::size_t> rows) {
  Matrix<T> copy(rows.size(), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(points.row(rows[i]).data(), points.cols(), copy.row(i).data());
  }
  return copy;
}

}  // namespace sbog
