// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace resize_test {

using testing_support::counting_images;
using testing_support::same_pixels;
using Bytes = std::vector<std::uint8_t>;

Image image_of(const ImageShape& shape, const Bytes& pixels) {
  Image image;
  image.shape = shape;
  image.pixels = pixels;
  return image;
}

TEST(Resize, halving_takes_the_mean_of_four_pixels) {
  const Image image = image_of({1, 2, 4}, {0, 4, 10, 20, 8, 12, 30, 41});
  EXPECT_EQ(resize(image, 1, 2).pixels, (Bytes{6, 25}));
}

TEST(Resize, doubling_reads_between_the_centres) {
  const Image image = image_of({1, 1, 2}, {0, 100});
  EXPECT_EQ(resize(image, 1, 4).pixels, (Bytes{0, 25, 75, 100}));
}

TEST(Resize, a_flat_image_stays_flat_at_any_size) {
  for (const std::size_t size : {1, 5, 28, 33}) {
    const Image image = image_of({1, 28, 28}, Bytes(784, 137));
    const Image out = resize(image, size, 2 * size);
    EXPECT_TRUE(std::ranges::all_of(out.pixels,
                                    [](auto value) { return value == 137; }));
  }
}

TEST(Resize, the_same_size_changes_nothing) {
  const ImageSet set = counting_images(3, {3, 6, 5});
  EXPECT_TRUE(same_pixels(resize(set, 6, 5), set));
}

TEST(Resize, a_set_is_resized_image_by_image_and_keeps_its_labels) {
  ImageSet set = counting_images(3, {3, 6, 5});
  set.labels = {2, 0, 1};
  set.sources = {"a", "b", "c"};
  const ImageSet out = resize(set, 4, 9);
  EXPECT_EQ(out.labels, set.labels);
  EXPECT_EQ(out.sources, set.sources);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = set.pixels.row(i);
    const Image one = image_of(set.shape, {row.begin(), row.end()});
    EXPECT_TRUE(
        std::ranges::equal(resize(one, 4, 9).pixels, out.pixels.row(i)));
  }
}

TEST(Resize, a_long_image_is_resized_as_any_other) {
  const Image column = image_of({1, 65535, 1}, Bytes(65535, 9));
  EXPECT_EQ(resize(column, 1, 1000).pixels, Bytes(1000, 9));
  const Image row = image_of({1, 1, 65535}, Bytes(65535, 9));
  EXPECT_EQ(resize(row, 1000, 1).pixels, Bytes(1000, 9));
}

TEST(Resize, extents_out_of_range_are_refused) {
  const ImageSet set = counting_images(1, {1, 2, 2});
  EXPECT_THROW(resize(set, 0, 4), InvalidArgument);
  EXPECT_THROW(resize(set, 4, 65536), InvalidArgument);
  EXPECT_THROW(there_and_back(set, 0, 4, Resampling::kNearest),
               InvalidArgument);
}

TEST(ThereAndBack, a_way_that_keeps_the_centres_gives_the_image_back) {
  const ImageSet set = counting_images(2, {3, 5, 7});
  const auto comes_back = [&](std::size_t factor, Resampling resampling) {
    return same_pixels(there_and_back(set, factor * 5, factor * 7, resampling),
                       set);
  };
  EXPECT_TRUE(comes_back(2, Resampling::kNearest));
  EXPECT_TRUE(comes_back(3, Resampling::kBilinear));
  EXPECT_FALSE(comes_back(2, Resampling::kBilinear));
}

TEST(ThereAndBack, nearest_reading_of_a_halved_image_repeats_pixels) {
  ImageSet set = counting_images(1, {1, 1, 4});
  const ImageSet out = there_and_back(set, 1, 2, Resampling::kNearest);
  EXPECT_TRUE(std::ranges::equal(out.pixels.row(0), Bytes{1, 1, 3, 3}));
}

TEST(ThereAndBack, a_random_way_depends_on_seed_and_number_alone) {
  const ImageSet set = counting_images(40, {1, 12, 12});
  const ImageSet a = there_and_back(set, 7);
  const std::vector<std::size_t> rows = {0, 1, 2};
  const ImageSet b = there_and_back(take(set, rows), 7);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::ranges::equal(a.pixels.row(i), b.pixels.row(i)));
  }
  EXPECT_FALSE(same_pixels(a, there_and_back(set, 8)));
}

TEST(ThereAndBack, a_random_way_is_one_of_the_fixed_ones) {
  const ImageSet set = counting_images(60, {1, 8, 8});
  const ImageSet out = there_and_back(set, 3);
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < set.count(); ++i) {
    const std::vector<std::size_t> row = {i};
    const ImageSet one = take(set, row);
    bool is_nearest = false;
    bool is_bilinear = false;
    for (std::size_t side = 6; side <= 12; ++side) {
      const auto matches = [&](Resampling resampling) {
        const ImageSet way = there_and_back(one, side, side, resampling);
        return std::ranges::equal(way.pixels.row(0), out.pixels.row(i));
      };
      is_nearest = is_nearest || matches(Resampling::kNearest);
      is_bilinear = is_bilinear || matches(Resampling::kBilinear);
    }
    EXPECT_TRUE(is_nearest || is_bilinear) << i;
    nearest += is_nearest && !is_bilinear ? 1 : 0;
  }
  // Even odds, less the ways that leave the image as it is.
  EXPECT_GT(nearest, 5u);
  EXPECT_LT(nearest, 55u);
}

TEST(ThereAndBack, a_range_that_is_none_is_refused) {
  const ImageSet set = counting_images(1, {1, 2, 2});
  EXPECT_THROW(there_and_back(set, 1, {0.0, 1.0}), InvalidArgument);
  EXPECT_THROW(there_and_back(set, 1, {1.0, 0.5}), InvalidArgument);
  EXPECT_THROW(there_and_back(set, 1, {1.0, 17.0}), InvalidArgument);
}

}  // namespace resize_test
}  // namespace sbog
