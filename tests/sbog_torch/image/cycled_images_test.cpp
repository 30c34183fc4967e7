// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/detail/cycled_images.h"

#include <gtest/gtest.h>

#include "decoder_support.h"
#include "sbog/base/errors.h"

namespace sbog::image::detail {
namespace cycled_images_test {

using namespace testing_support;

constexpr CyclePurposes kPurposes{Purpose::kOutlierOrder,
                                  Purpose::kOutlierAugment,
                                  Purpose::kOutlierResample};
constexpr AugmentOptions kPlain{0, false};
constexpr ResampleOptions kNone{0.0, 1.0};

// Image k is the constant k / 255 and of class k.
CycledImages levels(std::int64_t count) {
  nn::use_one_torch_thread();
  const torch::Tensor k = torch::arange(count, torch::kInt64);
  return {(k.to(torch::kFloat32) / 255.0)
              .reshape({count, 1, 1, 1})
              .expand({count, 1, 8, 8})
              .contiguous(),
          k, 4, kPurposes};
}

TEST(CycledImages, every_pass_gives_every_image_once_in_an_order_of_its_own) {
  CycledImages list = levels(10);
  std::vector<std::int64_t> seen;
  for (int step = 0; step < 10; ++step) {
    const CycledBatch batch = list.next(3, kPlain, kNone);
    ASSERT_EQ(batch.images.size(0), 3);
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto k = batch.classes[i].item<std::int64_t>();
      EXPECT_NEAR(batch.images[i][0][2][5].item<double>() * 255.0,
                  static_cast<double>(k), 1e-4);
      seen.push_back(k);
    }
  }
  std::vector<std::vector<std::int64_t>> passes;
  for (std::size_t pass = 0; pass < 3; ++pass) {
    const auto begin = seen.begin() + static_cast<std::ptrdiff_t>(10 * pass);
    passes.emplace_back(begin, begin + 10);
    std::vector<std::int64_t> sorted = passes.back();
    std::sort(sorted.begin(), sorted.end());
    for (std::int64_t k = 0; k < 10; ++k) {
      EXPECT_EQ(sorted[static_cast<std::size_t>(k)], k);
    }
  }
  EXPECT_NE(passes[0], passes[1]);
  EXPECT_NE(passes[1], passes[2]);
}

TEST(CycledImages, a_batch_may_be_longer_than_the_list) {
  CycledImages list = levels(2);
  EXPECT_EQ(list.next(7, kPlain, kNone).classes.sum().item<std::int64_t>() / 3,
            1);
}

TEST(CycledImages, the_same_seed_gives_the_same_batches) {
  const torch::Tensor x = make_bars(9, 2).images;
  CycledImages a(x, {}, 4, kPurposes);
  CycledImages b(x, {}, 4, kPurposes);
  CycledImages c(x, {}, 5, kPurposes);
  for (int step = 0; step < 3; ++step) {
    const CycledBatch batch = a.next(4, {}, {});
    EXPECT_FALSE(batch.classes.defined());
    EXPECT_TRUE(same_bits(batch.images, b.next(4, {}, {}).images));
    EXPECT_FALSE(same_bits(batch.images, c.next(4, {}, {}).images));
  }
}

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

}  // namespace cycled_images_test
}  // namespace sbog::image::detail
