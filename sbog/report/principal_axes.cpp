// SPDX-License-Identifier: Apache-2.0
// Eigenvectors of the covariance, or of the Gram matrix when that is smaller.
#include "sbog/report/principal_axes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/symmetric.h"

namespace sbog {
namespace {

template <typename T>
std::vector<double> column_means(MatrixView<const T> points) {
  std::vector<double> mean(points.cols(), 0.0);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      mean[j] += static_cast<double>(points(i, j));
    }
  }
  for (double& entry : mean) entry /= static_cast<double>(points.rows());
  return mean;
}

template <typename T>
Matrix<double> centred(MatrixView<const T> points,
                       const std::vector<double>& mean) {
  Matrix<double> rows(points.rows(), points.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) {
      rows(i, j) = static_cast<double>(points(i, j)) - mean[j];
    }
  }
  return rows;
}

// X' v / sqrt(value): the eigenvector of X'X from one of XX'.
void carry_over(const Matrix<double>& rows, std::span<const double> vector,
                double value, std::span<double> axis) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double weight = vector[i] / std::sqrt(value);
    for (std::size_t j = 0; j < axis.size(); ++j) {
      axis[j] += weight * rows(i, j);
    }
  }
}

// Makes the entry of largest magnitude positive.
void fix_sign(std::span<double> axis) {
  const auto largest = std::max_element(
      axis.begin(), axis.end(),
      [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (*largest >= 0.0) return;
  for (double& entry : axis) entry = -entry;
}

}  // namespace

template <typename T>
PrincipalAxes principal_axes(MatrixView<const T> points, std::size_t count) {
  const std::size_t n = points.rows();
  const std::size_t dim = points.cols();
  if (n == 0 || dim == 0) {
    throw InvalidArgument("principal_axes: at least one point is expected");
  }
  PrincipalAxes result;
  result.mean = column_means(points);
  const Matrix<double> rows = centred(points, result.mean);
  const bool is_wide = n < dim;
  Matrix<double> square =
      is_wide ? row_products(rows) : Matrix<double>(dim, dim);
  if (!is_wide) add_gram(rows, square);
  const std::size_t side = square.rows();
  double total = 0.0;
  for (std::size_t i = 0; i < side; ++i) total += square(i, i);
  const SymmetricEigen eigen = symmetric_eigen(square);
  const std::size_t kept = std::min(count, dim);
  result.axes = Matrix<double>(kept, dim);
  result.explained.assign(kept, 0.0);
  for (std::size_t k = 0; k < std::min(kept, side); ++k) {
    // What is left of a direction without variance is rounding.
    if (!(eigen.values[k] > 1e-14 * total)) break;
    const std::span<double> axis = result.axes.row(k);
    if (is_wide) {
      carry_over(rows, eigen.vectors.row(k), eigen.values[k], axis);
    } else {
      std::copy_n(eigen.vectors.row(k).data(), dim, axis.data());
    }
    fix_sign(axis);
    result.explained[k] = eigen.values[k] / total;
  }
  return result;
}

template <typename T>
Matrix<double> PrincipalAxes::project(MatrixView<const T> points) const {
  if (points.rows() > 0 && points.cols() != mean.size()) {
    throw InvalidArgument(
        "PrincipalAxes::project: points of " + std::to_string(mean.size()) +
        " dimensions are expected, got " + std::to_string(points.cols()));
  }
  Matrix<double> coordinates(points.rows(), axes.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t k = 0; k < axes.rows(); ++k) {
      double sum = 0.0;
      for (std::size_t j = 0; j < mean.size(); ++j) {
        sum += (static_cast<double>(points(i, j)) - mean[j]) * axes(k, j);
      }
      coordinates(i, k) = sum;
    }
  }
  return coordinates;
}

template PrincipalAxes principal_axes(MatrixView<const float>, std::size_t);
template PrincipalAxes principal_axes(MatrixView<const double>, std::size_t);
template Matrix<double> PrincipalAxes::project(MatrixView<const float>) const;
template Matrix<double> PrincipalAxes::project(MatrixView<const double>) const;

}  // namespace sbog
