// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/detail/planes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace sbog::detail {
namespace planes_test {

using Bytes = std::vector<std::uint8_t>;

TEST(Planes, interleaved_colour_becomes_three_planes) {
  const Bytes pixels = {1, 2, 3, 4, 5, 6};
  const Image image = to_planes(pixels, {3, 1, 2});
  EXPECT_EQ(image.shape, (ImageShape{3, 1, 2}));
  EXPECT_EQ(image.pixels, (Bytes{1, 4, 2, 5, 3, 6}));
}

TEST(Planes, interleaving_undoes_the_planes) {
  const auto set = testing_support::counting_images(1, {3, 4, 5});
  const Bytes planes(set.pixels.elements().begin(),
                     set.pixels.elements().end());
  EXPECT_EQ(to_planes(interleave(planes, set.shape), set.shape).pixels, planes);
}

TEST(Planes, opacity_composites_every_level_on_black) {
  for (unsigned value = 0; value < 256; value += 5) {
    for (unsigned opacity = 0; opacity < 256; ++opacity) {
      const Bytes pixel = {static_cast<std::uint8_t>(value),
                           static_cast<std::uint8_t>(opacity)};
      const Image image = to_planes(pixel, {2, 1, 1});
      ASSERT_EQ(image.shape, (ImageShape{1, 1, 1}));
      ASSERT_EQ(image.pixels[0], std::lround(value * opacity / 255.0));
    }
  }
}

TEST(Planes, a_fourth_channel_is_the_opacity_of_the_other_three) {
  const Bytes pixels = {10, 20, 30, 255, 10, 20, 30, 0};
  const Image image = to_planes(pixels, {4, 1, 2});
  EXPECT_EQ(image.shape, (ImageShape{3, 1, 2}));
  EXPECT_EQ(image.pixels, (Bytes{10, 0, 20, 0, 30, 0}));
}

}  // namespace planes_test
}  // namespace sbog::detail
