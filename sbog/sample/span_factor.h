// SPDX-License-Identifier: Apache-2.0
// An orthonormal basis B of the span of some rows A that is never formed: with
// the Cholesky factor L of the Gram matrix, A = L B, so that products with B
// are products with A and a triangular solve. The rows stay where they are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// See the top of the file. Rows are `heads` (as given, in double) and then
/// `rows`, each divided by its length; none may be zero. A row that is within
/// 1e-5 of the span of the rows before it adds nothing to the basis.
template <typename T>
class SpanFactor {
 public:
  /// `rows` is borrowed.
  SpanFactor(Matrix<double> heads, MatrixView<const T> rows);

  std::size_t dim() const { return heads_.cols(); }
  std::size_t rank() const { return pivots_.size(); }
  std::size_t row_count() const { return heads_.rows() + rows_.rows(); }
  std::span<const double> head(std::size_t i) const { return heads_.row(i); }

  /// Row i in the basis: rank() numbers, of which only the first used_count(i)
  /// are not 0. The first basis vector is the first row.
  std::span<const double> coordinates(std::size_t i) const {
    return factor_.row(i).first(rank());
  }
  std::size_t used_count(std::size_t i) const { return used_[i]; }

  /// B x, rank() numbers.
  std::vector<double> project(std::span<const double> x) const;
  /// out += B' c for rank() numbers c.
  void add_combination(std::span<const double> c, std::span<double> out) const;

 private:
  void products(std::span<const double> x, std::size_t count,
                std::span<double> out) const;

  Matrix<double> heads_;
  MatrixView<const T> rows_;
  std::vector<double> inverse_lengths_;  // of rows_
  Matrix<double> factor_;                // row_count x row_count, lower
  std::vector<std::size_t> pivots_;      // rows that made a basis vector
  std::vector<std::size_t> used_;
};

}  // namespace sbog
