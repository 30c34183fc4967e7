// SPDX-License-Identifier: Apache-2.0
// Coordinates and products against a basis made by Gram-Schmidt in long double.
#include "sbog/sample/span_factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sample/support.h"

namespace sbog {
namespace span_factor_test {

using testing_support::sphere_bank;

using Row = std::vector<long double>;

long double dot(const Row& a, const Row& b) {
  long double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Orthonormal rows with the span of `rows`, dependent ones passed over.
std::vector<Row> plain_basis(const std::vector<Row>& rows) {
  std::vector<Row> basis;
  for (Row rest : rows) {
    for (int pass = 0; pass < 2; ++pass) {
      for (const Row& b : basis) {
        const long double along = dot(b, rest);
        for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= along * b[k];
      }
    }
    const long double length = std::sqrt(dot(rest, rest));
    if (length < 1e-5L) continue;
    for (long double& x : rest) x /= length;
    basis.push_back(rest);
  }
  return basis;
}

template <typename T>
struct Scene {
  Matrix<double> heads;
  Matrix<T> rows;
  std::vector<Row> all;  // unit, heads first
  std::vector<Row> basis;
};

// Rows of many lengths; some are copies, one is a copy of a head.
template <typename T>
Scene<T> make_scene(std::size_t dim, std::size_t count) {
  Scene<T> scene;
  scene.heads = sphere_bank<double>(2, dim, 3);
  scene.rows = sphere_bank<T>(count, dim, 4);
  for (std::size_t k = 0; k < dim; ++k) {
    scene.rows(1, k) = static_cast<T>(scene.heads(0, k));
    scene.rows(count - 1, k) = scene.rows(0, k);
    for (std::size_t i = 0; i < count; ++i) {
      scene.rows(i, k) *= static_cast<T>(1 << i % 5);
    }
  }
  const auto add = [&](auto row) {
    Row x(row.begin(), row.end());
    const long double length = std::sqrt(dot(x, x));
    for (long double& value : x) value /= length;
    scene.all.push_back(x);
  };
  for (std::size_t i = 0; i < 2; ++i) add(scene.heads.row(i));
  for (std::size_t i = 0; i < count; ++i) add(scene.rows.row(i));
  scene.basis = plain_basis(scene.all);
  return scene;
}

template <typename T>
void expect_basis(std::size_t dim, std::size_t count, std::size_t rank) {
  SCOPED_TRACE(std::to_string(dim) + " " + std::to_string(count));
  Scene<T> scene = make_scene<T>(dim, count);
  const SpanFactor<T> factor(std::move(scene.heads),
                             std::as_const(scene.rows).view());
  ASSERT_EQ(factor.rank(), rank);
  ASSERT_EQ(scene.basis.size(), rank);
  // A float copy of a double head is 1e-8 away, hence a little slack.
  const double slack = sizeof(T) == 4 ? 1e-6 : 1e-11;
  for (std::size_t i = 0; i < factor.row_count(); ++i) {
    for (std::size_t b = 0; b < rank; ++b) {
      EXPECT_NEAR(factor.coordinates(i)[b],
                  static_cast<double>(dot(scene.all[i], scene.basis[b])),
                  slack);
      if (b >= factor.used_count(i)) {
        EXPECT_EQ(factor.coordinates(i)[b], 0.0);
      }
    }
  }
  std::vector<double> x(dim);
  for (std::size_t k = 0; k < dim; ++k) x[k] = std::sin(3.0 + 2.0 * k);
  const std::vector<double> inside = factor.project(x);
  std::vector<double> sum(dim, 0.5);
  factor.add_combination(inside, sum);
  Row expected(dim, 0.5L);
  for (std::size_t b = 0; b < rank; ++b) {
    const long double along = dot(scene.basis[b], Row(x.begin(), x.end()));
    EXPECT_NEAR(inside[b], static_cast<double>(along), 100 * slack);
    for (std::size_t k = 0; k < dim; ++k) {
      expected[k] += along * scene.basis[b][k];
    }
  }
  for (std::size_t k = 0; k < dim; ++k) {
    EXPECT_NEAR(sum[k], static_cast<double>(expected[k]), 100 * slack);
  }
}

TEST(SpanFactor, equals_gram_schmidt) {
  expect_basis<double>(20, 7, 7);
  expect_basis<double>(5, 9, 5);
  expect_basis<double>(64, 40, 40);
  expect_basis<float>(20, 7, 7);
  expect_basis<float>(64, 40, 40);
}

TEST(SpanFactor, one_row_is_its_own_basis) {
  Matrix<double> heads(1, 3);
  heads(0, 1) = 1.0;
  const SpanFactor<double> factor(std::move(heads),
                                  MatrixView<const double>(nullptr, 0, 3));
  EXPECT_EQ(factor.rank(), 1u);
  EXPECT_EQ(factor.project(std::vector<double>{4.0, 5.0, 6.0}),
            std::vector<double>{5.0});
}

}  // namespace span_factor_test
}  // namespace sbog
