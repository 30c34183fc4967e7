// SPDX-License-Identifier: Apache-2.0
// Eigenvectors of the covariance, or of the Gram matrix when that is smaller.
#include "sbog/report/principal_axes.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

using Rows =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

template <typename T>
Rows centred(MatrixView<const T> points, const std::vector<double>& mean) {
  Rows rows(index(points.rows()), index(points.cols()));
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) {
      rows(index(i), index(j)) = static_cast<double>(points(i, j)) - mean[j];
    }
  }
  return rows;
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
  result.mean.assign(dim, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      result.mean[j] += static_cast<double>(points(i, j));
    }
  }
  for (double& entry : result.mean) entry /= static_cast<double>(n);
  const Rows rows = centred(points, result.mean);
  const bool is_wide = n < dim;
  const Eigen::MatrixXd square = is_wide
                                     ? Eigen::MatrixXd(rows * rows.transpose())
                                     : Eigen::MatrixXd(rows.transpose() * rows);
  const double total = square.trace();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(square);
  const std::size_t kept = std::min(count, dim);
  result.axes = Matrix<double>(kept, dim);
  result.explained.assign(kept, 0.0);
  const std::size_t side = static_cast<std::size_t>(square.rows());
  for (std::size_t k = 0; k < std::min(kept, side); ++k) {
    const Eigen::Index from = index(side - 1 - k);  // eigenvalues increase
    const double value = solver.eigenvalues()(from);
    // What is left of a direction without variance is rounding.
    if (!(value > 1e-14 * total)) break;
    Eigen::VectorXd axis = solver.eigenvectors().col(from);
    if (is_wide) axis = rows.transpose() * axis / std::sqrt(value);
    std::copy_n(axis.data(), dim, result.axes.row(k).begin());
    fix_sign(result.axes.row(k));
    result.explained[k] = value / total;
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
