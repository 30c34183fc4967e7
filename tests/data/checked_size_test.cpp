// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/checked_size.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace sbog::detail {
namespace checked_size_test {

constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();

TEST(CheckedSize, sums_and_products_at_the_edge) {
  EXPECT_EQ(checked_add(kMax - 1, 1), kMax);
  EXPECT_FALSE(checked_add(kMax, 1).has_value());
  EXPECT_EQ(checked_multiply(kMax, 1), kMax);
  EXPECT_EQ(checked_multiply(kMax, 0), 0u);
  EXPECT_FALSE(checked_multiply(kMax / 2 + 1, 2).has_value());
}

TEST(CheckedSize, byte_counts_stop_at_pointer_differences) {
  using Shape = std::vector<std::size_t>;
  EXPECT_EQ(checked_byte_count(Shape{}, 8), 8u);
  EXPECT_EQ(checked_byte_count(Shape{3, 4}, 2), 24u);
  EXPECT_EQ(checked_byte_count(Shape{3, 0, 4}, 2), 0u);
  EXPECT_EQ(checked_byte_count(Shape{kMax / 2}, 1), kMax / 2);
  EXPECT_FALSE(checked_byte_count(Shape{kMax / 2 + 1}, 1).has_value());
  EXPECT_FALSE(checked_byte_count(Shape{0, kMax, 2}, 1).has_value());
}

RC_GTEST_PROP(CheckedSize, products_agree_with_wide_arithmetic,
              (std::size_t a, std::size_t b)) {
  __extension__ using Wide = unsigned __int128;
  const Wide exact = static_cast<Wide>(a) * b;
  const auto product = checked_multiply(a, b);
  RC_ASSERT(product.has_value() == (exact <= kMax));
  if (product) RC_ASSERT(static_cast<Wide>(*product) == exact);
}

}  // namespace checked_size_test
}  // namespace sbog::detail
