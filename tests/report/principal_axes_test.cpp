// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/principal_axes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog {
namespace principal_axes_test {

Matrix<double> normals(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix<double> points(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    PhiloxStream(seed, 0, 0, i).normals(0, points.row(i));
  }
  return points;
}

// u' C u by the plainest loops.
double variance_along(const Matrix<double>& points, std::span<const double> u) {
  std::vector<double> along(points.rows());
  double mean = 0.0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < u.size(); ++j) along[i] += points(i, j) * u[j];
    mean += along[i] / static_cast<double>(points.rows());
  }
  double sum = 0.0;
  for (const double a : along) sum += (a - mean) * (a - mean);
  return sum;
}

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(PrincipalAxes, stretched_directions_are_found_in_order) {
  // x = (3 t, 4 t) has its only axis along (0.6, 0.8).
  Matrix<double> points(5, 2);
  for (std::size_t i = 0; i < 5; ++i) {
    points(i, 0) = 7.0 - 3.0 * static_cast<double>(i);
    points(i, 1) = 1.0 - 4.0 * static_cast<double>(i);
  }
  const PrincipalAxes found =
      principal_axes<double>(std::as_const(points).view(), 2);
  EXPECT_NEAR(found.axes(0, 0), 0.6, 1e-12);
  EXPECT_NEAR(found.axes(0, 1), 0.8, 1e-12);
  EXPECT_NEAR(found.explained[0], 1.0, 1e-12);
  EXPECT_EQ(found.explained[1], 0.0);
  EXPECT_EQ(found.axes(1, 0), 0.0);  // nothing to tell a second one from
  const Matrix<double> placed =
      found.project<double>(std::as_const(points).view());
  EXPECT_NEAR(placed(0, 0), 10.0, 1e-12);
  EXPECT_NEAR(placed(4, 0), -10.0, 1e-12);
}

TEST(PrincipalAxes, axes_are_orthonormal_and_carry_the_stated_shares) {
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{60, 7}, {9, 30}}) {
    Matrix<double> points = normals(rows, cols, 11);
    for (std::size_t i = 0; i < rows; ++i) points(i, 1) *= 5.0;
    const PrincipalAxes found =
        principal_axes<double>(std::as_const(points).view(), 4);
    double total = 0.0;
    std::vector<double> unit(cols);
    for (std::size_t j = 0; j < cols; ++j) {
      unit.assign(cols, 0.0);
      unit[j] = 1.0;
      total += variance_along(points, unit);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const auto axis = std::as_const(found.axes).row(k);
      EXPECT_NEAR(variance_along(points, axis) / total, found.explained[k],
                  1e-10);
      for (std::size_t l = 0; l < 4; ++l) {
        EXPECT_NEAR(product(axis, std::as_const(found.axes).row(l)),
                    k == l ? 1.0 : 0.0, 1e-10);
      }
      if (k > 0) {
        EXPECT_LE(found.explained[k], found.explained[k - 1]);
      }
    }
  }
}

TEST(PrincipalAxes, the_largest_entry_of_an_axis_is_positive) {
  const Matrix<double> points = normals(40, 6, 3);
  Matrix<double> mirrored(40, 6);
  for (std::size_t i = 0; i < points.size(); ++i) {
    mirrored.data()[i] = -points.data()[i];
  }
  const PrincipalAxes a = principal_axes<double>(points.view(), 6);
  const PrincipalAxes b =
      principal_axes<double>(std::as_const(mirrored).view(), 6);
  for (std::size_t k = 0; k < 6; ++k) {
    std::size_t largest = 0;
    for (std::size_t j = 1; j < 6; ++j) {
      if (std::abs(a.axes(k, j)) > std::abs(a.axes(k, largest))) largest = j;
    }
    EXPECT_GT(a.axes(k, largest), 0.0);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(a.axes(k, j), b.axes(k, j), 1e-9);
    }
  }
}

TEST(PrincipalAxes, equal_points_have_no_axes_and_one_dimension_has_one) {
  const Matrix<double> same(4, 3);
  const PrincipalAxes none = principal_axes<double>(same.view(), 2);
  EXPECT_EQ(none.explained, (std::vector<double>{0.0, 0.0}));
  const Matrix<double> line = normals(8, 1, 5);
  const PrincipalAxes one = principal_axes<double>(line.view(), 16);
  EXPECT_EQ(one.axes.rows(), 1u);
  EXPECT_EQ(one.axes(0, 0), 1.0);
}

TEST(PrincipalAxes, mistakes_of_the_caller_are_named) {
  const Matrix<double> nothing(0, 3);
  EXPECT_THROW(principal_axes<double>(nothing.view(), 2), InvalidArgument);
  const Matrix<double> points = normals(4, 3, 1);
  const PrincipalAxes axes = principal_axes<double>(points.view(), 2);
  const Matrix<double> other(1, 2);
  EXPECT_THROW(axes.project<double>(other.view()), InvalidArgument);
}

}  // namespace principal_axes_test
}  // namespace sbog
