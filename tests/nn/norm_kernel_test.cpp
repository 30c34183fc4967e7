// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/detail/norm_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "energy/support.h"
#include "sbog/nn/detail/conv_kernel.h"
#include "series/window_support.h"

namespace sbog::series::detail {
namespace norm_kernel_test {

using sbog::testing_support::simd_targets;
using sbog::testing_support::UseTarget;
using series::testing_support::normals;

const std::vector<std::size_t>& widths() {
  static const std::vector<std::size_t> kWidths = {1, 7, 8, 15, 16, 17, 200};
  return kWidths;
}

// A row whose samples beyond the width are wrong on purpose.
Matrix<float> row_with_rubbish(std::size_t width, std::uint64_t seed) {
  Matrix<float> row = normals(1, rounded_width(width), seed);
  for (std::size_t t = width; t < row.cols(); ++t) row(0, t) = 1e6F;
  return row;
}

TEST(NormKernel, moments_equal_the_plain_sums_even_far_from_zero) {
  for (const std::size_t width : widths()) {
    for (const std::int64_t target : simd_targets()) {
      const UseTarget use(target);
      Matrix<float> row = row_with_rubbish(width, 3);
      for (std::size_t t = 0; t < width; ++t) row(0, t) += 1000.0F;
      double mean = 0.0;
      for (std::size_t t = 0; t < width; ++t) mean += row(0, t);
      mean /= static_cast<double>(width);
      double squares = 0.0;
      for (std::size_t t = 0; t < width; ++t) {
        squares += (row(0, t) - mean) * (row(0, t) - mean);
      }
      const RowMoments moments = row_moments(row.data(), width);
      EXPECT_NEAR(moments.mean, mean, 1e-6 * 1000.0);
      EXPECT_NEAR(moments.squares, squares, 1e-4 * squares + 1e-6);
      EXPECT_NEAR(row_sum(row.data(), width), mean * static_cast<double>(width),
                  1e-6 * 1000.0 * static_cast<double>(width));
    }
  }
}

TEST(NormKernel, normalised_rows_are_right_and_zero_beyond_the_width) {
  const RowAffine affine{0.5F, -0.25F};
  for (const std::size_t width : widths()) {
    for (const std::int64_t target : simd_targets()) {
      const UseTarget use(target);
      const Matrix<float> y = row_with_rubbish(width, 4);
      const Matrix<float> extra = row_with_rubbish(width, 5);
      Matrix<float> out(1, rounded_width(width));
      normalise_relu(y.data(), affine, width, out.data());
      add_normalised(extra.data(), {2.0F, 1.0F}, width, out.data());
      add_row(extra.data(), width, out.data());
      for (std::size_t t = 0; t < out.cols(); ++t) {
        const double n = 0.5 * y(0, t) - 0.25;
        const double expected =
            t < width ? std::max(n, 0.0) + 3.0 * extra(0, t) + 1.0 : 0.0;
        EXPECT_NEAR(out(0, t), expected, 1e-5);
      }
    }
  }
}

TEST(NormKernel, gradient_sums_and_rows_equal_the_plain_ones) {
  const RowAffine affine{0.7F, 0.1F};
  const NormGradient law{1.5F, -0.3F, 0.2F, 0.05F};
  for (const std::size_t width : widths()) {
    for (const std::int64_t target : simd_targets()) {
      const UseTarget use(target);
      const Matrix<float> y = row_with_rubbish(width, 6);
      Matrix<float> g = row_with_rubbish(width, 7);
      double plain = 0.0, weighted = 0.0, on = 0.0, on_weighted = 0.0;
      for (std::size_t t = 0; t < width; ++t) {
        const double apart = double{y(0, t)} - 0.2;
        plain += g(0, t);
        weighted += g(0, t) * apart;
        if (0.7F * y(0, t) + 0.1F <= 0.0F) continue;
        on += g(0, t);
        on_weighted += g(0, t) * apart;
      }
      const GradientSums all = gradient_sums(g.data(), y.data(), 0.2F, width);
      EXPECT_NEAR(all.plain, plain, 1e-4);
      EXPECT_NEAR(all.weighted, weighted, 1e-4);
      Matrix<float> out(1, rounded_width(width));
      norm_gradient(g.data(), y.data(), law, width, out.data());
      for (std::size_t t = 0; t < out.cols(); ++t) {
        const double expected =
            t < width ? 1.5 * g(0, t) - 0.3 * (y(0, t) - 0.2) + 0.05 : 0.0;
        EXPECT_NEAR(out(0, t), expected, 1e-5);
      }
      const GradientSums masked =
          mask_and_sum(g.data(), y.data(), affine, 0.2F, width);
      EXPECT_NEAR(masked.plain, on, 1e-4);
      EXPECT_NEAR(masked.weighted, on_weighted, 1e-4);
      for (std::size_t t = 0; t < g.cols(); ++t) {
        if (t >= width || 0.7F * y(0, t) + 0.1F <= 0.0F) {
          EXPECT_EQ(g(0, t), 0.0F);
        }
      }
    }
  }
}

}  // namespace norm_kernel_test
}  // namespace sbog::series::detail
