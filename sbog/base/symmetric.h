// SPDX-License-Identifier: Apache-2.0
// Symmetric matrices: sums of products of rows, eigenvectors, Cholesky.
// Every function writes and reads the lower triangle only.
#pragma once

#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// Adds rows' * rows to `sums`, a square of rows.cols().
void add_gram(MatrixView<const double> rows, MatrixView<double> sums);

/// Adds left' * right to `sums`, in full: left and right have as many rows,
/// `sums` is left.cols() x right.cols().
void add_products(MatrixView<const double> left, MatrixView<const double> right,
                  MatrixView<double> sums);

/// The inner products of all pairs of rows.
Matrix<double> row_products(MatrixView<const double> rows);

/// Eigenvalues, the largest first, and their eigenvectors as rows.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix<double> vectors;
};
SymmetricEigen symmetric_eigen(MatrixView<const double> square);

/// L of square = L L', zero above the diagonal. Throws InvalidArgument when the
/// matrix is not positive definite.
Matrix<double> cholesky_factor(MatrixView<const double> square);

/// X of square * X = right. Throws as cholesky_factor() does.
Matrix<double> cholesky_solve(MatrixView<const double> square,
                              MatrixView<const double> right);

}  // namespace sbog
