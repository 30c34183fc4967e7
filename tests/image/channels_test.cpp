// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/channels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace channels_test {

using testing_support::counting_images;
using testing_support::message_of;
using testing_support::same_pixels;

TEST(Channels, grey_becomes_three_equal_planes) {
  const ImageSet grey = counting_images(3, {1, 2, 2});
  const ImageSet colour = to_channels(grey, 3);
  ASSERT_EQ(colour.shape, (ImageShape{3, 2, 2}));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 12; ++k) {
      EXPECT_EQ(colour.pixels(i, k), grey.pixels(i, k % 4));
    }
  }
}

TEST(Channels, colour_becomes_the_weighted_sum_rounded_to_nearest) {
  const ImageSet colour = counting_images(40, {3, 2, 3});
  const ImageSet grey = to_channels(colour, 1);
  for (std::size_t i = 0; i < colour.count(); ++i) {
    for (std::size_t k = 0; k < 6; ++k) {
      const double sum = 0.299 * colour.pixels(i, k) +
                         0.587 * colour.pixels(i, 6 + k) +
                         0.114 * colour.pixels(i, 12 + k);
      EXPECT_NEAR(grey.pixels(i, k), sum, 0.5 + 1e-9);
    }
  }
}

TEST(Channels, grey_survives_the_way_through_colour) {
  const ImageSet grey = counting_images(5, {1, 8, 8});
  EXPECT_TRUE(same_pixels(to_channels(to_channels(grey, 3), 1), grey));
}

TEST(Channels, labels_names_and_sources_stay) {
  ImageSet set = counting_images(2, {1, 1, 1});
  set.labels = {1, 0};
  set.class_names = {"a", "b"};
  set.sources = {"x", "y"};
  const ImageSet colour = to_channels(set, 3);
  EXPECT_EQ(colour.labels, set.labels);
  EXPECT_EQ(colour.class_names, set.class_names);
  EXPECT_EQ(colour.sources, set.sources);
}

TEST(Channels, one_image_is_converted_as_a_set_is) {
  const ImageSet colour = counting_images(1, {3, 2, 3});
  Image image;
  image.shape = colour.shape;
  image.pixels.assign(colour.pixels.row(0).begin(), colour.pixels.row(0).end());
  const ImageSet grey = to_channels(colour, 1);
  EXPECT_TRUE(
      std::ranges::equal(to_channels(image, 1).pixels, grey.pixels.row(0)));
  EXPECT_EQ(to_channels(image, 3).pixels, image.pixels);
}

TEST(Channels, other_counts_are_refused) {
  const ImageSet set = counting_images(1, {1, 1, 1});
  EXPECT_EQ(message_of<InvalidArgument>([&] { to_channels(set, 2); }),
            "channels: 2 was given; 1 or 3 is expected");
}

}  // namespace channels_test
}  // namespace sbog
