// SPDX-License-Identifier: Apache-2.0
// Normals across lanes: layout, independence of the width, every SIMD target,
// and the normal law.
#include "sbog/sample/detail/normal_tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sample/support.h"
#include "sbog/base/philox.h"
#include "sbog/energy/detail/tile_kernel.h"

namespace sbog {
namespace normal_tile_test {

using testing_support::simd_targets;
using testing_support::UseTarget;

constexpr std::array<std::uint32_t, 2> kKey = {0x12345678u, 0x9ABCDEF0u};

// Coordinate c of proposals first_j .. first_j + width - 1 at [c * width + l].
std::vector<float> tile(std::uint32_t first_j, std::size_t count,
                        std::size_t width) {
  std::vector<float> out((count + 3) / 4 * 4 * width);
  detail::fill_normals(kKey, 7, 3 * 65536 + 2, first_j, count, width,
                       out.data());
  return out;
}

// The documented layout: Box-Muller in float of 31-bit uniforms.
float documented(std::uint32_t j, std::size_t coordinate) {
  const PhiloxBlock block = philox4x32(
      {7, 3 * 65536 + 2, j,
       (std::uint32_t{1} << 31) + static_cast<std::uint32_t>(coordinate / 4)},
      kKey);
  const std::size_t pair = coordinate / 2 % 2;
  const auto uniform = [&](std::size_t w) {
    return static_cast<float>((std::floor(block.words[w] / 2.0) + 0.5) /
                              2147483648.0);
  };
  const float radius = std::sqrt(-2.0f * std::log(uniform(2 * pair)));
  const double angle = 2.0 * std::numbers::pi * uniform(2 * pair + 1);
  return radius * static_cast<float>(coordinate % 2 == 0 ? std::cos(angle)
                                                         : std::sin(angle));
}

TEST(NormalTile, follows_the_documented_layout_on_every_target) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const std::size_t width = 64 * detail::lane_count<float>();
    const std::vector<float> got = tile(1000, 24, width);
    for (std::size_t c = 0; c < 24; ++c) {
      for (std::size_t l = 0; l < width; ++l) {
        const float expected =
            documented(static_cast<std::uint32_t>(1000 + l), c);
        // A few units in the last place of the radius.
        ASSERT_NEAR(got[c * width + l], expected, 1.5e-6)
            << target << " " << c << " " << l;
      }
    }
  }
}

TEST(NormalTile, every_target_is_close_to_the_scalar_one) {
  constexpr std::size_t kWidth = 4096;
  std::vector<float> truth;
  {
    const UseTarget use(0);
    truth = tile(5, 9, kWidth);
  }
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const std::vector<float> got = tile(5, 9, kWidth);
    for (std::size_t i = 0; i < 9 * kWidth; ++i) {
      ASSERT_NEAR(got[i], truth[i], 1.5e-6) << target << " " << i;
    }
  }
}

TEST(NormalTile, lanes_depend_on_their_proposal_only) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const std::size_t lanes = detail::lane_count<float>();
    const std::size_t width = 8 * lanes;
    const std::vector<float> all = tile(100, 13, width);
    for (const std::size_t narrow : {lanes, 2 * lanes, 5 * lanes}) {
      for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, lanes}) {
        const std::vector<float> part =
            tile(static_cast<std::uint32_t>(100 + shift), 13, narrow);
        for (std::size_t c = 0; c < 13; ++c) {
          for (std::size_t l = 0; l < narrow; ++l) {
            ASSERT_EQ(part[c * narrow + l], all[c * width + l + shift]);
          }
        }
      }
    }
    // Fewer coordinates are a prefix.
    const std::vector<float> few = tile(100, 6, width);
    EXPECT_TRUE(std::equal(few.begin(),
                           few.begin() + static_cast<std::ptrdiff_t>(6 * width),
                           all.begin()));
  }
}

TEST(NormalTile, a_row_alone_has_the_bits_of_the_tile) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const std::size_t width = detail::lane_count<float>();
    const std::vector<float> all = tile(40, 131, width);
    for (const std::size_t count : {1u, 4u, 5u, 67u, 131u}) {
      std::vector<float> row(count);
      detail::fill_row_normals(kKey, 7, 3 * 65536 + 2, 40,
                               detail::kSubspaceBlock, row);
      for (std::size_t c = 0; c < count; ++c) {
        ASSERT_EQ(row[c], all[c * width]) << target << " " << c;
      }
    }
  }
}

TEST(NormalTile, squares_and_factors_work_column_by_column) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const std::size_t width = 3 * detail::lane_count<float>();
    std::vector<float> x = tile(40, 12, width);
    const std::vector<float> before = x;
    std::vector<double> squares(width);
    detail::column_squares(x.data(), 12, width, squares.data());
    std::vector<float> factors(width);
    for (std::size_t l = 0; l < width; ++l) factors[l] = 0.1f + 0.3f * l;
    detail::scale_columns(x.data(), 12, width, factors.data());
    for (std::size_t l = 0; l < width; ++l) {
      double expected = 0.0;
      for (std::size_t r = 0; r < 12; ++r) {
        const double value = before[r * width + l];
        expected += value * value;
        EXPECT_EQ(x[r * width + l], before[r * width + l] * factors[l]);
      }
      EXPECT_NEAR(squares[l], expected, 1e-13 * expected);
    }
  }
}

TEST(NormalTile, keys_and_counters_matter) {
  const std::size_t width = detail::lane_count<float>();
  const auto first = [&](std::array<std::uint32_t, 2> key, std::uint32_t k,
                         std::uint32_t class_round) {
    std::vector<float> out(4 * width);
    detail::fill_normals(key, k, class_round, 0, 4, width, out.data());
    return out;
  };
  const auto base = first({1, 2}, 3, 4);
  EXPECT_EQ(base, first({1, 2}, 3, 4));
  EXPECT_NE(base, first({2, 2}, 3, 4));
  EXPECT_NE(base, first({1, 3}, 3, 4));
  EXPECT_NE(base, first({1, 2}, 4, 4));
  EXPECT_NE(base, first({1, 2}, 3, 5));
}

TEST(NormalTile, has_the_normal_law_on_every_target) {
  constexpr std::size_t kWidth = 4096;
  constexpr std::size_t kCount = 16;
  constexpr double kDraws = kWidth * kCount;
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    const std::vector<float> x = tile(0, kCount, kWidth);
    double moments[5] = {};
    for (std::size_t i = 0; i < kWidth * kCount; ++i) {
      double power = 1.0;
      for (double& moment : moments) {
        moment += power / kDraws;
        power *= static_cast<double>(x[i]);
      }
    }
    // Four standard errors; Var x^p = E x^2p - (E x^p)^2.
    EXPECT_NEAR(moments[1], 0.0, 4.0 * std::sqrt(1.0 / kDraws));
    EXPECT_NEAR(moments[2], 1.0, 4.0 * std::sqrt(2.0 / kDraws));
    EXPECT_NEAR(moments[3], 0.0, 4.0 * std::sqrt(15.0 / kDraws));
    EXPECT_NEAR(moments[4], 3.0, 4.0 * std::sqrt(96.0 / kDraws));
    for (std::size_t c = 0; c < kCount; ++c) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(c * kWidth);
      EXPECT_LT(testing_support::ks_statistic_of_law(
                    {begin, begin + kWidth}, testing_support::normal_cdf),
                testing_support::kKsLimit)
          << c;
    }
  }
}

TEST(NormalTile, the_far_tail_has_its_share) {
  // 2^22 draws: about 133 beyond 4 and 1.2 beyond 5 are expected.
  constexpr std::size_t kWidth = 16384;
  const std::vector<float> x = tile(1u << 20, 256, kWidth);
  const auto beyond = [&](float level) {
    return std::count_if(x.begin(), x.end(),
                         [&](float value) { return std::abs(value) > level; });
  };
  const double expected =
      256.0 * kWidth * 2.0 * testing_support::normal_cdf(-4);
  EXPECT_NEAR(static_cast<double>(beyond(4.0f)), expected,
              4.0 * std::sqrt(expected));
  EXPECT_LE(beyond(5.0f), 15);
  EXPECT_EQ(beyond(7.0f), 0);
}

TEST(NormalTile, sums_over_columns_are_the_plain_ones_on_every_target) {
  for (const std::int64_t target : simd_targets()) {
    const UseTarget use(target);
    for (const std::size_t vectors : {1u, 3u, 4u}) {
      const std::size_t width = vectors * detail::lane_count<float>();
      const std::size_t count = 13;
      const std::vector<float> normals = tile(50, count, width);
      // A lower triangle of 10 x 13, and weights.
      Matrix<float> factor(10, count);
      std::vector<std::size_t> used;
      for (std::size_t i = 0; i < 10; ++i) {
        used.push_back(i + 4);
        for (std::size_t k = 0; k < i + 4; ++k) {
          factor(i, k) =
              0.1f * static_cast<float>(i) - 0.07f * static_cast<float>(k);
        }
      }
      std::vector<float> combined(10 * width);
      detail::combine_columns(factor, used, normals.data(), width,
                              combined.data());
      const std::vector<double> weights = {1.5, -2.0, 0.25, 3.0, 1e-3};
      std::vector<double> products(width);
      detail::column_products(normals.data(), weights, width, products.data());
      std::vector<float> shifted(normals.begin(), normals.end());
      std::vector<float> scales(width);
      std::vector<float> factors(width);
      for (std::size_t l = 0; l < width; ++l) {
        scales[l] = 0.5f + static_cast<float>(l);
        factors[l] = 2.0f - static_cast<float>(l);
      }
      detail::shift_columns(shifted.data(), weights, width, scales.data(),
                            factors.data());
      for (std::size_t l = 0; l < width; ++l) {
        for (std::size_t i = 0; i < 10; ++i) {
          double sum = 0.0;
          for (std::size_t k = 0; k < count; ++k) {
            sum += double{factor(i, k)} * double{normals[k * width + l]};
          }
          EXPECT_NEAR(combined[i * width + l], sum, 1e-5);
        }
        double product = 0.0;
        for (std::size_t r = 0; r < weights.size(); ++r) {
          const double x = normals[r * width + l];
          product += weights[r] * x;
          const double wanted =
              x * double{scales[l]} + weights[r] * double{factors[l]};
          EXPECT_NEAR(shifted[r * width + l], wanted,
                      1e-6 * (1.0 + std::abs(wanted)));
        }
        EXPECT_NEAR(products[l], product, 1e-13);
      }
    }
  }
}

}  // namespace normal_tile_test
}  // namespace sbog
