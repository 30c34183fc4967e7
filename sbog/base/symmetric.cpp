// SPDX-License-Identifier: Apache-2.0
// Eigen behind symmetric.h: its templates are compiled here, once.
#include "sbog/base/symmetric.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <string>

namespace sbog {
namespace {

using Rows =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;
using Reading = Eigen::Map<const Rows, Eigen::Unaligned, Stride>;
using Writing = Eigen::Map<Rows, Eigen::Unaligned, Stride>;

Eigen::Index as_index(std::size_t i) { return static_cast<Eigen::Index>(i); }

Reading read(MatrixView<const double> view) {
  return {view.data(), as_index(view.rows()), as_index(view.cols()),
          Stride(as_index(view.row_stride()))};
}

Writing write(MatrixView<double> view) {
  return {view.data(), as_index(view.rows()), as_index(view.cols()),
          Stride(as_index(view.row_stride()))};
}

void expect_square(MatrixView<const double> square, const char* who) {
  if (square.rows() == square.cols()) return;
  throw InvalidArgument(std::string(who) + ": a square matrix is expected, " +
                        "got " + std::to_string(square.rows()) + " x " +
                        std::to_string(square.cols()));
}

Eigen::LLT<Rows> factorise(MatrixView<const double> square, const char* who) {
  expect_square(square, who);
  Eigen::LLT<Rows> factor(read(square));
  if (factor.info() == Eigen::Success) return factor;
  throw InvalidArgument(std::string(who) +
                        ": a positive definite matrix is expected");
}

}  // namespace

void add_gram(MatrixView<const double> rows, MatrixView<double> sums) {
  SBOG_ASSERT(sums.rows() == rows.cols() && sums.cols() == rows.cols());
  write(sums).selfadjointView<Eigen::Lower>().rankUpdate(
      read(rows).transpose());
}

void add_products(MatrixView<const double> left, MatrixView<const double> right,
                  MatrixView<double> sums) {
  SBOG_ASSERT(left.rows() == right.rows() && sums.rows() == left.cols() &&
              sums.cols() == right.cols());
  write(sums).noalias() += read(left).transpose() * read(right);
}

Matrix<double> row_products(MatrixView<const double> rows) {
  Matrix<double> products(rows.rows(), rows.rows());
  write(products).selfadjointView<Eigen::Lower>().rankUpdate(read(rows));
  return products;
}

SymmetricEigen symmetric_eigen(MatrixView<const double> square) {
  expect_square(square, "symmetric_eigen");
  const std::size_t side = square.rows();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(read(square));
  SymmetricEigen result;
  result.vectors = Matrix<double>(side, side);
  for (std::size_t k = 0; k < side; ++k) {
    const Eigen::Index from = as_index(side - 1 - k);  // Eigen's increase
    result.values.push_back(solver.eigenvalues()(from));
    std::copy_n(solver.eigenvectors().col(from).data(), side,
                result.vectors.row(k).data());
  }
  return result;
}

Matrix<double> cholesky_factor(MatrixView<const double> square) {
  Matrix<double> lower(square.rows(), square.rows());
  write(lower) = factorise(square, "cholesky_factor").matrixL();
  return lower;
}

Matrix<double> cholesky_solve(MatrixView<const double> square,
                              MatrixView<const double> right) {
  Matrix<double> solved(right.rows(), right.cols());
  const Eigen::LLT<Rows> factor = factorise(square, "cholesky_solve");
  if (right.rows() != square.rows()) {
    throw InvalidArgument("cholesky_solve: " + std::to_string(square.rows()) +
                          " rows on the right are expected, got " +
                          std::to_string(right.rows()));
  }
  if (!right.is_empty()) write(solved) = factor.solve(read(right));
  return solved;
}

}  // namespace sbog
