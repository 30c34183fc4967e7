// SPDX-License-Identifier: Apache-2.0
#include "sbog/detect/detail/products.h"

#include <gtest/gtest.h>

#include "detect/support.h"

namespace sbog {
namespace products_test {

using testing_support::clustered_points;
using testing_support::listed;

template <typename T>
Matrix<T> made(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix<T> matrix(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    PhiloxStream(seed, 0, 0, i).normals(0, matrix.row(i));
  }
  return matrix;
}

template <typename T>
class Products : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Types);

// Sizes on both sides of the tile: the terms are added in order, so the plain
// loop gives the same bits.
TYPED_TEST(Products, every_element_is_the_plain_sum_in_order) {
  using T = TypeParam;
  for (const std::size_t rows : {1u, 3u, 4u, 5u, 9u}) {
    for (const std::size_t cols : {1u, 4u, 7u, 8u, 17u}) {
      const Matrix<T> left = made<T>(rows, 6, 1);
      const Matrix<T> right = made<T>(6, cols, 2);
      Matrix<T> out = made<T>(rows, cols, 3);
      Matrix<T> expected = out.clone();
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < cols; ++j) {
          for (std::size_t p = 0; p < 6; ++p) {
            expected(i, j) += left(i, p) * right(p, j);
          }
        }
      }
      detail::add_product<T>(left.view(), right.view(), out.view());
      EXPECT_EQ(listed(out), listed(expected)) << rows << " x " << cols;
    }
  }
}

TYPED_TEST(Products, the_left_side_may_be_transposed) {
  using T = TypeParam;
  for (const std::size_t rows : {2u, 4u, 11u}) {
    const Matrix<T> left = made<T>(7, rows, 1);
    const Matrix<T> right = made<T>(7, 13, 2);
    Matrix<T> out(rows, 13);
    Matrix<T> turned(rows, 7);
    for (std::size_t p = 0; p < 7; ++p) {
      for (std::size_t i = 0; i < rows; ++i) turned(i, p) = left(p, i);
    }
    Matrix<T> expected(rows, 13);
    detail::add_product<T>(turned.view(), right.view(), expected.view());
    detail::add_transposed_product<T>(left.view(), right.view(), out.view());
    EXPECT_EQ(listed(out), listed(expected)) << rows;
  }
}

TEST(Products, columns_of_a_view_keep_its_rows) {
  Matrix<float> points = clustered_points(3, 5, 2, 0.1, 1);
  const MatrixView<float> part = detail::columns_of(points.view(), 2, 3);
  EXPECT_EQ(part.rows(), 3u);
  EXPECT_EQ(part.cols(), 3u);
  EXPECT_EQ(part(2, 1), points(2, 3));
}

}  // namespace products_test
}  // namespace sbog
