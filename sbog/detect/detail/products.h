// SPDX-License-Identifier: Apache-2.0
// Products of small dense matrices, float or double. Every element is a plain
// sum in the order of the terms: it does not depend on the rows beside it, on
// the number of threads or on the width of the vectors of a CPU.
#pragma once

#include "sbog/base/matrix.h"

namespace sbog::detail {

/// out(i, j) += sum_p left(i, p) right(p, j).
template <typename T>
void add_product(MatrixView<const T> left, MatrixView<const T> right,
                 MatrixView<T> out);

/// out(i, j) += sum_p left(p, i) right(p, j).
template <typename T>
void add_transposed_product(MatrixView<const T> left, MatrixView<const T> right,
                            MatrixView<T> out);

/// Columns [first, first + count) of a view.
template <typename T>
MatrixView<T> columns_of(MatrixView<T> view, std::size_t first,
                         std::size_t count) {
  SBOG_ASSERT(first <= view.cols() && count <= view.cols() - first);
  return {view.data() + first, view.rows(), count, view.row_stride()};
}

}  // namespace sbog::detail
