// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog::image {
namespace draws_test {

torch::Tensor counting_images(std::int64_t n, std::int64_t c, std::int64_t h,
                              std::int64_t w) {
  return torch::arange(1, n * c * h * w + 1, torch::kFloat32)
      .reshape({n, c, h, w});
}

TEST(Draws, an_order_is_a_permutation_that_the_key_decides) {
  const auto order = draw_order(50, 3, Purpose::kOrder, 7);
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 50u);
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), 49u);
  EXPECT_EQ(order, draw_order(50, 3, Purpose::kOrder, 7));
  EXPECT_NE(order, draw_order(50, 3, Purpose::kOrder, 8));
  EXPECT_NE(order, draw_order(50, 4, Purpose::kOrder, 7));
  EXPECT_NE(order, draw_order(50, 3, Purpose::kBankOrder, 7));
}

TEST(Draws, the_draws_of_an_image_do_not_depend_on_its_batch) {
  const std::vector<std::uint64_t> two = {5, 9};
  const std::vector<std::uint64_t> one = {9};
  const auto both = draw_normals(two, 6, 1, Purpose::kLatentAtom);
  const auto alone = draw_normals(one, 6, 1, Purpose::kLatentAtom);
  EXPECT_TRUE(torch::equal(both[1], alone[0]));
  EXPECT_FALSE(torch::equal(both[0], alone[0]));
}

TEST(Draws, normals_have_mean_zero_and_variance_one) {
  std::vector<std::uint64_t> streams(200);
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i] = i;
  const auto rows = draw_normals(streams, 50, 11, Purpose::kLatentAtom);
  // 10,000 draws: the deviations of the two estimates are 0.01 and 0.0141.
  EXPECT_NEAR(rows.mean().item<double>(), 0.0, 0.05);
  EXPECT_NEAR(rows.var().item<double>(), 1.0, 0.07);
}

TEST(Draws, uniforms_lie_within_the_unit_interval) {
  std::vector<std::uint64_t> streams(100);
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i] = i;
  const auto rows = draw_uniforms(streams, 40, 2, Purpose::kLatentAtom);
  EXPECT_GT(rows.min().item<double>(), 0.0);
  EXPECT_LE(rows.max().item<double>(), 1.0);
  EXPECT_NEAR(rows.mean().item<double>(), 0.5, 0.025);
}

TEST(Draws, streams_of_images_and_epochs_are_told_apart) {
  EXPECT_EQ(epoch_stream(7, 0), 7u);
  EXPECT_EQ(epoch_stream(7, 3), 7u + (std::uint64_t{3} << 32));
  EXPECT_THROW(epoch_stream(std::size_t{1} << 32, 0), InvalidArgument);
  EXPECT_THROW(epoch_stream(0, 65536), InvalidArgument);
}

// The slow truth: pad, cut at every place, flip or not; the result must be one
// of them.
bool is_a_view(const torch::Tensor& image, const torch::Tensor& result,
               std::int64_t padding, bool may_flip) {
  const torch::Tensor padded =
      torch::constant_pad_nd(image, {padding, padding, padding, padding});
  for (std::int64_t top = 0; top <= 2 * padding; ++top) {
    for (std::int64_t left = 0; left <= 2 * padding; ++left) {
      const torch::Tensor cut =
          padded.narrow(1, top, image.size(1)).narrow(2, left, image.size(2));
      if (torch::equal(cut, result)) return true;
      if (may_flip && torch::equal(cut.flip({2}), result)) return true;
    }
  }
  return false;
}

TEST(CropAndFlip, gives_a_crop_of_the_padded_image_flipped_or_not) {
  const auto images = counting_images(40, 2, 5, 4);
  std::vector<std::size_t> rows(40);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const auto streams = epoch_streams(rows, 2);
  const auto flipped = crop_and_flip(images, streams, {2, true}, 1);
  const auto straight = crop_and_flip(images, streams, {2, false}, 1);
  int changed = 0;
  for (std::int64_t i = 0; i < 40; ++i) {
    EXPECT_TRUE(is_a_view(images[i], flipped[i], 2, true)) << i;
    EXPECT_TRUE(is_a_view(images[i], straight[i], 2, false)) << i;
    changed += torch::equal(flipped[i], straight[i]) ? 0 : 1;
  }
  EXPECT_GT(changed, 8);
  EXPECT_LT(changed, 32);
}

TEST(CropAndFlip, without_padding_and_flips_is_the_identity) {
  const auto images = counting_images(3, 1, 4, 4);
  const std::vector<std::uint64_t> streams = {0, 1, 2};
  EXPECT_TRUE(
      torch::equal(crop_and_flip(images, streams, {0, false}, 1), images));
}

TEST(CropAndFlip, a_padding_wider_than_the_image_is_allowed) {
  const auto images = counting_images(8, 1, 2, 3);
  const std::vector<std::uint64_t> streams = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto result = crop_and_flip(images, streams, {5, false}, 1);
  for (std::int64_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(is_a_view(images[i], result[i], 5, false));
  }
}

TEST(CropAndFlip, other_shapes_and_counts_are_refused) {
  const std::vector<std::uint64_t> two = {0, 1};
  EXPECT_THROW(crop_and_flip(torch::zeros({2, 3, 3}), two, {}, 1),
               InvalidArgument);
  EXPECT_THROW(crop_and_flip(torch::zeros({3, 1, 3, 3}), two, {}, 1),
               InvalidArgument);
  EXPECT_THROW(
      crop_and_flip(torch::zeros({2, 1, 3, 3}, torch::kFloat64), two, {}, 1),
      InvalidArgument);
}

}  // namespace draws_test
}  // namespace sbog::image
