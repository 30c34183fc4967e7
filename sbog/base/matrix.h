// SPDX-License-Identifier: Apache-2.0
// Row-major matrices: Matrix<T> owns, MatrixView<T> looks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog {

/// A non-owning row-major view, passed by value. Use MatrixView<const T> for
/// input. Rows are `row_stride` elements apart (row_stride >= cols).
template <typename T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols)
      : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, std::size_t rows, std::size_t cols,
             std::size_t row_stride)
      : data_(data), rows_(rows), cols_(cols), row_stride_(row_stride) {
    SBOG_ASSERT(row_stride >= cols);
  }

  /// A view to mutable elements is also a view to constant ones.
  template <typename U>
  requires std::is_same_v<const U, T> MatrixView(
      MatrixView<U> other)  // NOLINT(google-explicit-constructor)
      : MatrixView(other.data(), other.rows(), other.cols(),
                   other.row_stride()) {}

  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t row_stride() const { return row_stride_; }
  bool is_empty() const { return rows_ == 0 || cols_ == 0; }

  T& operator()(std::size_t i, std::size_t j) const {
    SBOG_ASSERT(i < rows_ && j < cols_);
    return data_[i * row_stride_ + j];
  }
  std::span<T> row(std::size_t i) const {
    SBOG_ASSERT(i < rows_);
    return {data_ + i * row_stride_, cols_};
  }
  /// Rows [first, first + count).
  MatrixView subrows(std::size_t first, std::size_t count) const {
    SBOG_ASSERT(first <= rows_ && count <= rows_ - first);
    return {data_ + first * row_stride_, count, cols_, row_stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t row_stride_ = 0;
};

/// An owning row-major matrix, 64-byte aligned, zero-initialised. Moves are
/// free; a copy is made only by clone().
template <typename T>
class Matrix {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Matrix() = default;
  /// Throws InvalidArgument when rows * cols does not fit in memory sizes.
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols) {
    const std::size_t count = checked_count(rows, cols);
    if (count == 0) return;
    data_.reset(static_cast<T*>(
        ::operator new(count * sizeof(T), std::align_val_t(kAlignment))));
    std::fill_n(data_.get(), count, T{});
  }
  Matrix(Matrix&& other) noexcept { swap(other); }
  Matrix& operator=(Matrix&& other) noexcept {
    Matrix taken(std::move(other));
    swap(taken);
    return *this;
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() = default;

  Matrix clone() const {
    Matrix copy(rows_, cols_);
    std::copy_n(data_.get(), size(), copy.data_.get());
    return copy;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return rows_ * cols_; }

  T& operator()(std::size_t i, std::size_t j) { return view()(i, j); }
  const T& operator()(std::size_t i, std::size_t j) const {
    return view()(i, j);
  }
  std::span<T> row(std::size_t i) { return view().row(i); }
  std::span<const T> row(std::size_t i) const { return view().row(i); }
  std::span<T> elements() { return {data_.get(), size()}; }
  std::span<const T> elements() const { return {data_.get(), size()}; }

  MatrixView<T> view() { return {data_.get(), rows_, cols_}; }
  MatrixView<const T> view() const { return {data_.get(), rows_, cols_}; }
  operator MatrixView<T>() { return view(); }              // NOLINT
  operator MatrixView<const T>() { return view(); }        // NOLINT
  operator MatrixView<const T>() const { return view(); }  // NOLINT

 private:
  static constexpr std::size_t kAlignment = 64;

  struct Free {
    void operator()(T* pointer) const {
      ::operator delete(pointer, std::align_val_t(kAlignment));
    }
  };

  static std::size_t checked_count(std::size_t rows, std::size_t cols) {
    const std::size_t limit =
        std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
    if (cols != 0 && rows > limit / cols) {
      throw InvalidArgument("Matrix: " + std::to_string(rows) + " x " +
                            std::to_string(cols) + " elements do not fit");
    }
    return rows * cols;
  }
  void swap(Matrix& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
  }

  std::unique_ptr<T[], Free> data_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace sbog
