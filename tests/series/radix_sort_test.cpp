// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detail/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "series/support.h"

namespace sbog::detail {
namespace radix_sort_test {

TEST(RadixSort, orders_like_a_comparison_sort) {
  for (const std::size_t n : {0u, 1u, 2u, 511u, 512u, 513u, 5000u}) {
    const Matrix<double> drawn = testing_support::normal_rows(n, 1, n);
    std::vector<float> values;
    for (std::size_t i = 0; i < n; ++i) {
      // Many sizes, both signs, repetitions.
      values.push_back(static_cast<float>(
          drawn(i, 0) * std::pow(10.0, static_cast<double>(i % 60) - 30.0)));
      if (i % 3 == 0) values.back() = 1.25F;
    }
    std::vector<float> expected = values;
    std::sort(expected.begin(), expected.end());
    radix_sort(values);
    EXPECT_EQ(values, expected) << n;
  }
}

TEST(RadixSort, places_zeros_denormals_and_infinities) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  std::vector<float> values(600, 0.0F);
  values[5] = kInfinity;
  values[100] = -kInfinity;
  values[200] = kTiny;
  values[300] = -kTiny;
  values[400] = -0.0F;
  radix_sort(values);
  EXPECT_EQ(values[0], -kInfinity);
  EXPECT_EQ(values[1], -kTiny);
  EXPECT_TRUE(std::signbit(values[2]));
  EXPECT_FALSE(std::signbit(values[3]));
  EXPECT_EQ(values[598], kTiny);
  EXPECT_EQ(values[599], kInfinity);
}

}  // namespace radix_sort_test
}  // namespace sbog::detail
