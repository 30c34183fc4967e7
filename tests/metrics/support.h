// SPDX-License-Identifier: Apache-2.0
// Helpers of the metric tests: random points, rotations, pools of several
// sizes, messages of errors, comparison of bits.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "oracle/calls.h"
#include "sbog/base/errors.h"
#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/base/progress.h"

namespace sbog::testing_support {

/// Gaussian points.
template <typename T = double>
Matrix<T> random_points(std::size_t rows, std::size_t cols,
                        std::uint64_t seed) {
  Matrix<T> points(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    PhiloxStream(seed, 0, 0, i).normals(0, points.row(i));
  }
  return points;
}

/// Gaussian points pushed to the unit sphere.
template <typename T = double>
Matrix<T> random_directions(std::size_t rows, std::size_t cols,
                            std::uint64_t seed) {
  Matrix<T> points = random_points<T>(rows, cols, seed);
  for (std::size_t i = 0; i < rows; ++i) {
    double squares = 0.0;
    for (const T x : points.row(i)) squares += double{x} * double{x};
    for (T& x : points.row(i)) x = static_cast<T>(x / std::sqrt(squares));
  }
  return points;
}

/// i mod `classes`, which spreads every class over all rows.
inline std::vector<std::int64_t> cyclic_labels(std::size_t rows,
                                               std::int64_t classes) {
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < rows; ++i) {
    labels.push_back(static_cast<std::int64_t>(i) % classes);
  }
  return labels;
}

/// A view to constant elements, so that templates deduce their type.
template <typename T>
MatrixView<const T> seen(const Matrix<T>& points) {
  return points.view();
}

/// Rows in reverse order.
inline Matrix<double> reversed(const Matrix<double>& points) {
  Matrix<double> out(points.rows(), points.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto from = points.row(points.rows() - 1 - i);
    std::copy(from.begin(), from.end(), out.row(i).begin());
  }
  return out;
}

/// Every row reflected at the hyperplane orthogonal to `normal`: an isometry
/// that keeps the origin.
inline Matrix<double> reflected(const Matrix<double>& points,
                                const std::vector<double>& normal) {
  const double squares =
      std::inner_product(normal.begin(), normal.end(), normal.begin(), 0.0);
  Matrix<double> out = points.clone();
  for (std::size_t i = 0; i < out.rows(); ++i) {
    const auto row = points.row(i);
    const double along =
        std::inner_product(row.begin(), row.end(), normal.begin(), 0.0);
    for (std::size_t k = 0; k < out.cols(); ++k) {
      out(i, k) -= 2.0 * along / squares * normal[k];
    }
  }
  return out;
}

/// The plainest inner product.
template <typename A, typename B>
double plain_dot(const A& a, const B& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  }
  return sum;
}

/// The plainest cosine.
template <typename A, typename B>
double plain_cosine(const A& a, const B& b) {
  return plain_dot(a, b) / std::sqrt(plain_dot(a, a) * plain_dot(b, b));
}

/// Expects that compute(context), a list of doubles, has the same bits without
/// a pool and with pools of 1, 2 and 7 threads.
template <class Compute>
void expect_same_bits(const Compute& compute) {
  const auto bits = [](const std::vector<double>& values) {
    std::vector<std::uint64_t> out;
    for (const double value : values) {
      out.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return out;
  };
  const std::vector<std::uint64_t> expected = bits(compute(Context{}));
  EXPECT_FALSE(expected.empty());
  for (const std::size_t threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(bits(compute(Context{&pool, nullptr})), expected) << threads;
  }
}

}  // namespace sbog::testing_support
