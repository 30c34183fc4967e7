// SPDX-License-Identifier: Apache-2.0
// A tile of four rows and one vector pair of columns stays in registers while
// the terms are added; see products.h.
#include "sbog/detect/detail/products.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace sbog::detail {
namespace {

constexpr std::size_t kTileRows = 4;

/// Columns of a tile: 32 bytes.
template <typename T>
constexpr std::size_t kTileCols = 32 / sizeof(T);

/// Elements of the left matrix: row i and term p lie at i * row + p * term.
template <typename T>
struct LeftSide {
  const T* data;
  std::size_t row;
  std::size_t term;
};

/// Four floats or two doubles that are added at once. Spelled as a type of the
/// compiler: left to itself, GCC 12 keeps the sums of a tile in memory.
template <typename T>
struct Lanes {
  using Type [[gnu::vector_size(16), gnu::aligned(alignof(T))]] = T;
  static constexpr std::size_t kCount = 16 / sizeof(T);
};

/// One full tile of `out`.
template <typename T>
void add_tile(const LeftSide<T>& left, const T* right, std::size_t right_stride,
              std::size_t terms, T* out, std::size_t out_stride) {
  using Vector = typename Lanes<T>::Type;
  constexpr std::size_t kLanes = Lanes<T>::kCount;
  Vector sums[kTileRows][2];
  for (std::size_t i = 0; i < kTileRows; ++i) {
    std::memcpy(sums[i], out + i * out_stride, sizeof sums[i]);
  }
  for (std::size_t p = 0; p < terms; ++p) {
    Vector from[2];
    std::memcpy(from, right + p * right_stride, sizeof from);
    for (std::size_t i = 0; i < kTileRows; ++i) {
      const T factor = left.data[i * left.row + p * left.term];
      sums[i][0] += factor * from[0];
      sums[i][1] += factor * from[1];
    }
  }
  for (std::size_t i = 0; i < kTileRows; ++i) {
    std::memcpy(out + i * out_stride, sums[i], sizeof sums[i]);
  }
  static_assert(2 * kLanes == kTileCols<T>);
}

/// What is left at the right and lower border: fewer rows or columns.
template <typename T>
void add_border(const LeftSide<T>& left, const T* right,
                std::size_t right_stride, std::size_t terms, T* out,
                std::size_t out_stride, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < rows; ++i) {
    T* sums = out + i * out_stride;
    for (std::size_t p = 0; p < terms; ++p) {
      const T factor = left.data[i * left.row + p * left.term];
      for (std::size_t j = 0; j < cols; ++j) {
        sums[j] += factor * right[p * right_stride + j];
      }
    }
  }
}

template <typename T>
void add_tiles(const LeftSide<T>& left, MatrixView<const T> right,
               MatrixView<T> out) {
  constexpr std::size_t kCols = kTileCols<T>;
  for (std::size_t j = 0; j < out.cols(); j += kCols) {
    const std::size_t cols = std::min(kCols, out.cols() - j);
    for (std::size_t i = 0; i < out.rows(); i += kTileRows) {
      const std::size_t rows = std::min(kTileRows, out.rows() - i);
      const LeftSide<T> from{left.data + i * left.row, left.row, left.term};
      T* to = out.data() + i * out.row_stride() + j;
      if (rows == kTileRows && cols == kCols) {
        add_tile(from, right.data() + j, right.row_stride(), right.rows(), to,
                 out.row_stride());
      } else {
        add_border(from, right.data() + j, right.row_stride(), right.rows(), to,
                   out.row_stride(), rows, cols);
      }
    }
  }
}

}  // namespace

template <typename T>
void add_product(MatrixView<const T> left, MatrixView<const T> right,
                 MatrixView<T> out) {
  SBOG_ASSERT(left.cols() == right.rows() && left.rows() == out.rows() &&
              right.cols() == out.cols());
  add_tiles<T>({left.data(), left.row_stride(), 1}, right, out);
}

template <typename T>
void add_transposed_product(MatrixView<const T> left, MatrixView<const T> right,
                            MatrixView<T> out) {
  SBOG_ASSERT(left.rows() == right.rows() && left.cols() == out.rows() &&
              right.cols() == out.cols());
  add_tiles<T>({left.data(), 1, left.row_stride()}, right, out);
}

template void add_product(MatrixView<const float>, MatrixView<const float>,
                          MatrixView<float>);
template void add_product(MatrixView<const double>, MatrixView<const double>,
                          MatrixView<double>);
template void add_transposed_product(MatrixView<const float>,
                                     MatrixView<const float>,
                                     MatrixView<float>);
template void add_transposed_product(MatrixView<const double>,
                                     MatrixView<const double>,
                                     MatrixView<double>);

}  // namespace sbog::detail
