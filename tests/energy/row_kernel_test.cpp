// SPDX-License-Identifier: Apache-2.0
// Squared lengths and products: the same bits as the plain partial sums.
#include "sbog/energy/detail/row_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sbog/base/inner_product.h"
#include "sbog/base/matrix.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog::detail {
namespace row_kernel_test {

TEST(RowKernel, has_the_bits_of_the_plain_partial_sums) {
  for (std::size_t n = 0; n < 70; ++n) {
    std::vector<float> row(n);
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = static_cast<float>(std::sin(1.0 + 7.0 * static_cast<double>(i)));
    }
    const std::span<const float> view(row);
    EXPECT_EQ(squared_norm(view), (inner_product<float, float>(view, view)))
        << n;
  }
}

template <typename T>
void expect_products() {
  for (const std::size_t cols : {1u, 7u, 8u, 9u, 40u, 67u}) {
    for (std::size_t count = 0; count < 10; ++count) {
      Matrix<T> rows(count, cols);
      std::vector<double> x(cols);
      std::vector<double> factors(count);
      for (std::size_t k = 0; k < cols; ++k) x[k] = std::cos(3.0 * k);
      for (std::size_t i = 0; i < count; ++i) {
        factors[i] = std::sin(1.0 + i);
        for (std::size_t k = 0; k < cols; ++k) {
          rows(i, k) = static_cast<T>(std::sin(1.0 + 7.0 * i + 0.3 * k));
        }
      }
      std::vector<double> dots(count);
      row_dots(std::as_const(rows).view(), x, dots);
      std::vector<double> sum = x;
      add_rows(std::as_const(rows).view(), factors, sum);
      std::vector<double> expected = x;
      for (std::size_t i = 0; i < count; ++i) {
        const std::span<const T> row = std::as_const(rows).row(i);
        EXPECT_EQ(dots[i], (inner_product<T, double>(row, x)));
        for (std::size_t k = 0; k < cols; ++k) {
          expected[k] += static_cast<double>(row[k]) * factors[i];
        }
      }
      EXPECT_EQ(sum, expected);
    }
  }
}

TEST(RowKernel, products_have_the_bits_of_the_plain_ones) {
  expect_products<float>();
  expect_products<double>();
}

template <typename T>
void expect_packed() {
  const std::size_t lanes = lane_count<T>();
  for (const std::size_t width : {lanes, 3 * lanes}) {
    for (std::size_t count = 1; count <= width; ++count) {
      for (const std::size_t cols : {1u, 5u, 17u}) {
        Matrix<T> rows(count, cols);
        std::vector<T> factors(width, T(9));
        for (std::size_t i = 0; i < count; ++i) {
          factors[i] = static_cast<T>(1 + i);
          for (std::size_t k = 0; k < cols; ++k) {
            rows(i, k) = static_cast<T>(100 * i + k);
          }
        }
        const std::size_t dim = cols + 2;
        std::vector<T> packed(dim * width, T(-1));
        pack_rows(std::as_const(rows).view(), std::span<const T>(factors),
                  width, dim, packed.data());
        for (std::size_t k = 0; k < dim; ++k) {
          for (std::size_t i = 0; i < width; ++i) {
            const T expected =
                i < count && k < cols ? rows(i, k) * factors[i] : T(0);
            ASSERT_EQ(packed[k * width + i], expected) << k << " " << i;
          }
        }
      }
    }
  }
}

TEST(RowKernel, packs_scaled_rows_as_columns) {
  expect_packed<float>();
  expect_packed<double>();
}

TEST(RowKernel, carries_infinity_and_nan) {
  const std::vector<float> infinite = {1.0f, INFINITY};
  const std::vector<float> undefined = {NAN, 1.0f};
  EXPECT_TRUE(std::isinf(squared_norm(std::span<const float>(infinite))));
  EXPECT_TRUE(std::isnan(squared_norm(std::span<const float>(undefined))));
}

}  // namespace row_kernel_test
}  // namespace sbog::detail
