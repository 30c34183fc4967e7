// SPDX-License-Identifier: Apache-2.0
#include "sbog_torch/image/tensors.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog::image {
namespace tensors_test {

/// 3 images of 2 x 2 x 3 pixels, all different, with classes.
ImageSet small_set() {
  ImageSet set;
  set.shape = {2, 2, 3};
  set.pixels = Matrix<std::uint8_t>(3, 12);
  std::uint8_t value = 0;
  for (std::uint8_t& pixel : set.pixels.elements()) pixel = value += 7;
  set.labels = {1, 0, 3};
  return set;
}

TEST(Tensors, pixels_keep_their_place_and_are_divided_by_255) {
  const ImageSet set = small_set();
  const auto tensor = to_tensor(set);
  ASSERT_EQ(tensor.sizes(), (std::vector<std::int64_t>{3, 2, 2, 3}));
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 12; ++j) {
      const float expected =
          static_cast<float>(set.pixels(static_cast<std::size_t>(i),
                                        static_cast<std::size_t>(j))) /
          255.0F;
      EXPECT_EQ(tensor[i][j / 6][j / 3 % 2][j % 3].item<float>(), expected);
    }
  }
}

TEST(Tensors, every_byte_survives_the_round_trip) {
  ImageSet set;
  set.shape = {1, 16, 16};
  set.pixels = Matrix<std::uint8_t>(1, 256);
  for (std::size_t i = 0; i < 256; ++i) {
    set.pixels(0, i) = static_cast<std::uint8_t>(i);
  }
  const auto tensor = to_tensor(set);
  const ImageSet back = to_images(tensor);
  EXPECT_EQ(back.shape.height, 16u);
  for (std::size_t i = 0; i < 256; ++i) {
    EXPECT_EQ(back.pixels(0, i), set.pixels(0, i));
  }
  EXPECT_TRUE(torch::equal(quantise(tensor), tensor));
}

TEST(Tensors, values_are_rounded_to_nearest_and_limited) {
  const auto tensor = torch::tensor({-1.0F, 0.0019F, 0.0021F, 0.9F, 2.0F})
                          .reshape({1, 1, 1, 5});
  const ImageSet set = to_images(tensor);
  EXPECT_EQ(set.pixels(0, 0), 0);
  EXPECT_EQ(set.pixels(0, 1), 0);
  EXPECT_EQ(set.pixels(0, 2), 1);
  EXPECT_EQ(set.pixels(0, 3), 230);
  EXPECT_EQ(set.pixels(0, 4), 255);
}

TEST(Tensors, rows_are_taken_in_the_order_asked_for) {
  const ImageSet set = small_set();
  const std::vector<std::size_t> rows = {2, 0, 2};
  const auto all = to_tensor(set);
  const auto some = to_tensor(set, rows);
  EXPECT_TRUE(torch::equal(some[0], all[2]));
  EXPECT_TRUE(torch::equal(some[1], all[0]));
  EXPECT_TRUE(torch::equal(some[2], all[2]));
  const auto labels = to_labels(set, rows);
  EXPECT_EQ(labels.scalar_type(), torch::kInt64);
  EXPECT_EQ(labels[0].item<std::int64_t>(), 3);
  EXPECT_EQ(labels[1].item<std::int64_t>(), 1);
}

TEST(Tensors, what_does_not_fit_is_refused) {
  ImageSet set = small_set();
  const std::vector<std::size_t> rows = {3};
  EXPECT_THROW(to_tensor(set, rows), InvalidArgument);
  EXPECT_THROW(to_labels(set, rows), InvalidArgument);
  set.labels.clear();
  EXPECT_THROW(to_labels(set), InvalidArgument);
  set.shape.width = 4;
  EXPECT_THROW(to_tensor(set), InvalidArgument);
  EXPECT_THROW(to_images(torch::zeros({2, 3, 3})), InvalidArgument);
  EXPECT_THROW(to_images(torch::full({1, 1, 1, 1}, std::nan(""))),
               InvalidArgument);
  EXPECT_THROW(require_images(torch::zeros({1, 2, 2, 2}), {2, 2, 3}, "test"),
               InvalidArgument);
  EXPECT_NO_THROW(
      require_images(torch::zeros({1, 2, 2, 3}), {2, 2, 3}, "test"));
  EXPECT_THROW(
      require_finite(torch::full({2}, std::numeric_limits<float>::infinity()),
                     "test"),
      InvalidArgument);
}

}  // namespace tensors_test
}  // namespace sbog::image
