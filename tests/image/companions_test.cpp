// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/companions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/image/shapes.h"
#include "support.h"

namespace sbog {
namespace companions_test {

using testing_support::counting_images;
using testing_support::message_of;
using testing_support::same_pixels;

constexpr std::array<Companion, 5> kDrawn = {
    Companion::kStripes, Companion::kChecker, Companion::kNoise,
    Companion::kBlobs, Companion::kUnseenShapes};

TEST(Companions, every_name_leads_back_to_its_kind) {
  for (const Companion kind : all_companions()) {
    EXPECT_EQ(companion_of_name(to_string(kind)), kind);
  }
  const std::string message =
      message_of<InvalidArgument>([] { companion_of_name("spots"); });
  EXPECT_NE(message.find("'spots'"), std::string::npos);
  EXPECT_NE(message.find("stripes, checker"), std::string::npos);
}

TEST(Companions, a_companion_has_the_shape_and_count_of_its_set) {
  for (const ImageShape& shape : {ImageShape{1, 28, 28}, ImageShape{3, 9, 9}}) {
    const ImageSet set = counting_images(6, shape);
    for (const Companion kind : all_companions()) {
      const ImageSet made = make_companion(kind, set, 3);
      EXPECT_NO_THROW(check_images(made, to_string(kind)));
      EXPECT_EQ(made.shape, shape);
      EXPECT_EQ(made.count(), 6u);
      EXPECT_FALSE(same_pixels(made, set)) << to_string(kind);
    }
  }
}

TEST(Companions, a_drawn_image_depends_on_seed_and_number_alone) {
  const ImageShape shape{3, 16, 12};
  for (const Companion kind : kDrawn) {
    const ImageSet small = make_companion(kind, shape, 4, 9);
    const ImageSet large = make_companion(kind, shape, 7, 9);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(std::ranges::equal(small.pixels.row(i), large.pixels.row(i)));
    }
    EXPECT_FALSE(same_pixels(small, make_companion(kind, shape, 4, 10)));
  }
}

TEST(Companions, textures_have_contrast_in_every_image) {
  for (const Companion kind : {Companion::kStripes, Companion::kChecker}) {
    const ImageSet set = make_companion(kind, ImageShape{1, 28, 28}, 200, 4);
    for (std::size_t i = 0; i < set.count(); ++i) {
      const auto [low, high] = std::minmax_element(set.pixels.row(i).begin(),
                                                   set.pixels.row(i).end());
      EXPECT_GT(*high - *low, 60) << to_string(kind) << i;
    }
  }
}

TEST(Companions, noise_takes_all_levels_equally_often) {
  const ImageSet set =
      make_companion(Companion::kNoise, ImageShape{1, 32, 32}, 100, 1);
  std::array<double, 256> counts{};
  for (const std::uint8_t value : set.pixels.elements()) counts[value] += 1.0;
  double chi2 = 0.0;
  const double expected = 100.0 * 1024.0 / 256.0;
  for (const double count : counts) {
    chi2 += (count - expected) * (count - expected) / expected;
  }
  // 255 degrees of freedom: mean 255, deviation 22.6.
  EXPECT_LT(chi2, 255.0 + 5.0 * 22.6);
  EXPECT_GT(chi2, 255.0 - 5.0 * 22.6);
}

TEST(Companions, blobs_change_slowly_from_pixel_to_pixel) {
  const ImageSet set =
      make_companion(Companion::kBlobs, ImageShape{1, 28, 28}, 50, 2);
  for (std::size_t i = 0; i < set.count(); ++i) {
    for (std::size_t k = 0; k < 28 * 28; ++k) {
      if (k % 28 == 27) continue;
      // At most 6 steps between knots over 28 pixels, each of at most 255.
      EXPECT_LE(std::abs(set.pixels(i, k) - set.pixels(i, k + 1)), 56);
    }
  }
}

TEST(Companions, an_inverted_image_adds_up_to_255_with_its_original) {
  ImageSet set = counting_images(3, {3, 4, 5});
  set.labels = {2, 1, 0};
  const ImageSet made = make_companion(Companion::kInverted, set, 0);
  for (std::size_t k = 0; k < set.pixels.size(); ++k) {
    EXPECT_EQ(made.pixels.elements()[k] + set.pixels.elements()[k], 255);
  }
  EXPECT_EQ(made.labels, set.labels);
}

TEST(Companions, a_quarter_turn_moves_the_right_column_to_the_top) {
  ImageSet set;
  set.shape = {1, 2, 2};
  set.pixels = Matrix<std::uint8_t>(1, 4);
  const std::array<std::uint8_t, 4> image = {1, 2, 3, 4};
  std::copy(image.begin(), image.end(), set.pixels.data());
  const ImageSet turned = make_companion(Companion::kRotated, set, 0);
  const std::array<std::uint8_t, 4> expected = {2, 4, 1, 3};
  EXPECT_TRUE(std::ranges::equal(turned.pixels.elements(), expected));
}

TEST(Companions, four_quarter_turns_give_the_image_back) {
  const ImageSet set = counting_images(2, {3, 7, 7});
  ImageSet turned = set.clone();
  for (int k = 0; k < 4; ++k) {
    turned = make_companion(Companion::kRotated, turned, 0);
    EXPECT_EQ(same_pixels(turned, set), k == 3);
  }
}

TEST(Companions, what_cannot_be_made_is_refused) {
  const ImageSet oblong = counting_images(1, {1, 2, 3});
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { make_companion(Companion::kRotated, oblong, 0); }),
            "companion: images of 1 x 2 x 3 cannot be rotated; square ones are "
            "expected");
  EXPECT_THROW(make_companion(Companion::kInverted, ImageShape{1, 8, 8}, 1, 0),
               InvalidArgument);
  EXPECT_THROW(make_companion(Companion::kNoise, ImageShape{2, 8, 8}, 1, 0),
               InvalidArgument);
}

}  // namespace companions_test
}  // namespace sbog
