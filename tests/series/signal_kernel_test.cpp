// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detail/signal_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "series/support.h"

namespace sbog::detail {
namespace signal_kernel_test {

// Widths below, at and above every number of lanes.
const std::vector<std::size_t> kWidths = {1, 2, 3, 7, 8, 9, 31, 32, 33, 71};

TEST(SignalKernel, scaled_rows_have_the_bits_of_the_plain_loop) {
  for (const std::size_t width : kWidths) {
    const Matrix<double> table = testing_support::normal_rows(40, width, 3);
    const Matrix<double> drawn = testing_support::normal_rows(40, 1, 4);
    const std::vector<double> factors(drawn.elements().begin(),
                                      drawn.elements().end());
    std::vector<double> sums(width, 0.25);
    std::vector<double> expected = sums;
    for (std::size_t p = 0; p < factors.size(); ++p) {
      for (std::size_t k = 0; k < width; ++k) {
        expected[k] += factors[p] * table(p, k);
      }
    }
    add_scaled_rows(factors, table.data(), sums);
    EXPECT_EQ(sums, expected) << width;
  }
}

TEST(SignalKernel, deviations_agree_with_long_double) {
  for (const std::size_t width : kWidths) {
    const Matrix<double> drawn = testing_support::normal_rows(50, width, 5);
    Matrix<float> values(50, width);
    std::vector<const float*> rows;
    for (std::size_t i = 0; i < 50; ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        values(i, c) = static_cast<float>(1000.0 + drawn(i, c));
      }
      rows.push_back(values.row(i).data());
    }
    std::vector<float> found(width);
    deviations(rows, found);
    for (std::size_t c = 0; c < width; ++c) {
      long double mean = 0.0L;
      long double square = 0.0L;
      for (std::size_t i = 0; i < 50; ++i) mean += values(i, c) / 50.0L;
      for (std::size_t i = 0; i < 50; ++i) {
        square += (values(i, c) - mean) * (values(i, c) - mean) / 50.0L;
      }
      const auto truth = static_cast<double>(std::sqrt(square));
      EXPECT_NEAR(found[c], truth, 1e-7 * truth) << width << " " << c;
    }
  }
}

TEST(SignalKernel, equal_rows_have_no_deviation) {
  for (const std::size_t width : kWidths) {
    const std::vector<float> row(width, 0.1F);
    const std::vector<const float*> rows(50, row.data());
    std::vector<float> found(width, 1.0F);
    deviations(rows, found);
    EXPECT_EQ(found, std::vector<float>(width, 0.0F)) << width;
  }
}

}  // namespace signal_kernel_test
}  // namespace sbog::detail
