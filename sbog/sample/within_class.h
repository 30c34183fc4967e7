// SPDX-License-Identifier: Apache-2.0
// How points vary within their classes: rows less the mean of their class, and
// the covariance of that, pooled over all classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// A bank seen from its class means. The bank and its labels are borrowed.
template <typename T>
class WithinClass {
 public:
  /// `labels` are class numbers 0 .. classes - 1, one per row of `bank`; `rows`
  /// are the rows that count (all of them when empty). On the sphere rows are
  /// divided by their length first.
  WithinClass(MatrixView<const T> bank, std::span<const std::uint32_t> labels,
              std::size_t classes, bool is_sphere,
              std::vector<std::size_t> rows = {});

  std::size_t dim() const { return bank_.cols(); }
  std::size_t row_count() const {
    return rows_.empty() ? bank_.rows() : rows_.size();
  }
  /// One row per class; zero for a class without rows.
  const Matrix<double>& means() const { return means_; }
  /// Rows first .. first + count - 1 of those that count, less their mean.
  Matrix<double> centred(std::size_t first, std::size_t count) const;
  /// X'X / row_count() of the centred rows; the lower triangle.
  Matrix<double> covariance() const;

 private:
  std::size_t row_of(std::size_t i) const {
    return rows_.empty() ? i : rows_[i];
  }
  double scale_of(std::size_t row) const;

  MatrixView<const T> bank_;
  std::span<const std::uint32_t> labels_;
  bool is_sphere_;
  std::vector<std::size_t> rows_;
  Matrix<double> means_;
};

}  // namespace sbog
