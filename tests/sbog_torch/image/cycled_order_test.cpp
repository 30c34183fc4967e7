// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detail/cycled_order.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::image::detail {
namespace cycled_order_test {

constexpr Purpose kPurpose = Purpose::kHeadOutlierOrder;

TEST(CycledOrder, passes_are_the_orders_that_are_drawn_for_them) {
  CycledOrder order(7, 3, kPurpose);
  CycledPart seen;
  for (const std::size_t count : {3, 0, 9, 1, 15}) {
    const CycledPart part = order.next(count);
    ASSERT_EQ(part.rows.size(), count);
    ASSERT_EQ(part.passes.size(), count);
    seen.rows.insert(seen.rows.end(), part.rows.begin(), part.rows.end());
    seen.passes.insert(seen.passes.end(), part.passes.begin(),
                       part.passes.end());
  }
  for (std::size_t i = 0; i < seen.rows.size(); ++i) {
    const auto expected = draw_order(7, 3, kPurpose, i / 7);
    EXPECT_EQ(seen.rows[i], expected[i % 7]) << i;
    EXPECT_EQ(seen.passes[i], i / 7) << i;
  }
}

TEST(CycledOrder, one_row_is_given_again_and_again) {
  CycledOrder order(1, 3, kPurpose);
  const CycledPart part = order.next(3);
  EXPECT_EQ(part.rows, (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(part.passes, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(CycledOrder, no_rows_are_refused) {
  EXPECT_THROW(CycledOrder(0, 3, kPurpose), InvalidArgument);
}

}  // namespace cycled_order_test
}  // namespace sbog::image::detail
