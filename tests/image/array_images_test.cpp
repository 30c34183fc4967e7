// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/array_images.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace array_images_test {

using testing_support::array_of;
using testing_support::message_of;
using Bytes = std::vector<std::uint8_t>;
using Extents = std::vector<std::size_t>;

Array bytes_array(Extents shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  Bytes values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = static_cast<std::uint8_t>(i);
  }
  return array_of(ElementType::kUInt8, std::move(shape), values, "a.npy");
}

Array floats_array(const std::vector<float>& values) {
  return array_of(ElementType::kFloat32, {1, 1, values.size()}, values,
                  "a.npy");
}

std::string refusal(const Array& array, const ArrayImageOptions& options = {}) {
  return message_of<IoError>([&] { images_of_array(array, options); });
}

Bytes pixels_of(const ImageSet& set) {
  return {set.pixels.elements().begin(), set.pixels.elements().end()};
}

TEST(ArrayImages, rank_3_is_grey) {
  const ImageSet set = images_of_array(bytes_array({2, 3, 4}));
  EXPECT_EQ(set.shape, (ImageShape{1, 3, 4}));
  EXPECT_EQ(set.count(), 2u);
  EXPECT_EQ(set.pixels(1, 5), 17);
  EXPECT_EQ(set.reading, "uint8 in [0, 255], grey");
}

TEST(ArrayImages, channels_last_become_planes) {
  const ImageSet set = images_of_array(bytes_array({2, 4, 5, 3}));
  ASSERT_EQ(set.shape, (ImageShape{3, 4, 5}));
  EXPECT_EQ(set.reading, "uint8 in [0, 255], channels last");
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 0; k < 20; ++k) {
        EXPECT_EQ(set.pixels(n, c * 20 + k), n * 60 + k * 3 + c);
      }
    }
  }
}

TEST(ArrayImages, channels_first_stay_as_they_are) {
  const ImageSet set = images_of_array(bytes_array({2, 3, 4, 5}));
  EXPECT_EQ(set.shape, (ImageShape{3, 4, 5}));
  EXPECT_EQ(set.reading, "uint8 in [0, 255], channels first");
  for (std::size_t k = 0; k < 120; ++k) {
    EXPECT_EQ(set.pixels.elements()[k], k);
  }
}

TEST(ArrayImages, a_layout_that_cannot_be_told_must_be_named) {
  const Array both = bytes_array({2, 3, 4, 3});
  EXPECT_EQ(refusal(both),
            "a.npy: where the channels of an array of shape (2, 3, 4, 3) are "
            "cannot be told; name the layout");
  EXPECT_NE(refusal(bytes_array({1, 4, 4, 4})).find("cannot be told"),
            std::string::npos);
  const ArrayImageOptions last{PixelLayout::kChannelsLast};
  const ArrayImageOptions first{PixelLayout::kChannelsFirst};
  EXPECT_EQ(images_of_array(both, last).shape, (ImageShape{3, 3, 4}));
  EXPECT_EQ(images_of_array(both, first).shape, (ImageShape{3, 4, 3}));
}

TEST(ArrayImages, four_channels_are_refused) {
  EXPECT_EQ(refusal(bytes_array({1, 4, 4, 4}), {PixelLayout::kChannelsLast}),
            "a.npy: images have 4 channels; 1 or 3 is expected");
}

TEST(ArrayImages, floats_up_to_one_are_scaled_to_bytes) {
  const ImageSet set = images_of_array(floats_array({0.0F, 0.5F, 1.0F}));
  EXPECT_EQ(pixels_of(set), (Bytes{0, 128, 255}));
  EXPECT_EQ(set.reading, "float32 in [0, 1], grey");
}

TEST(ArrayImages, floats_beyond_one_are_rounded) {
  const ImageSet set = images_of_array(floats_array({0.0F, 1.4F, 254.6F}));
  EXPECT_EQ(pixels_of(set), (Bytes{0, 1, 255}));
  EXPECT_EQ(set.reading, "float32 in [0, 255], grey");
}

TEST(ArrayImages, a_range_that_cannot_be_told_must_be_named) {
  const Array array = floats_array({0.0F, 1.0001F});
  EXPECT_NE(refusal(array).find("cannot be told; name the range"),
            std::string::npos);
  const ArrayImageOptions bytes{PixelLayout::kAuto, PixelRange::kByte};
  EXPECT_EQ(pixels_of(images_of_array(array, bytes)), (Bytes{0, 1}));
}

TEST(ArrayImages, bool_is_black_and_white) {
  const Array array =
      array_of(ElementType::kBool, {1, 1, 2}, Bytes{0, 1}, "a.npy");
  EXPECT_EQ(pixels_of(images_of_array(array)), (Bytes{0, 255}));
}

TEST(ArrayImages, wide_integers_must_be_levels) {
  const auto array = [](std::int64_t value) {
    return array_of(ElementType::kInt64, {1, 1, 1},
                    std::vector<std::int64_t>{value}, "a.npy");
  };
  EXPECT_EQ(pixels_of(images_of_array(array(200))), Bytes{200});
  EXPECT_NE(refusal(array(256)).find("0 to 255"), std::string::npos);
  EXPECT_NE(refusal(array(-1)).find("is -1.000000"), std::string::npos);
}

TEST(ArrayImages, values_out_of_range_are_refused_with_their_image) {
  const auto two = [](float value) {
    return array_of(ElementType::kFloat32, {2, 1, 2},
                    std::vector<float>{0.0F, 1.0F, 0.5F, value}, "a.npy");
  };
  EXPECT_EQ(refusal(two(-0.5F)),
            "a.npy: a value of image 1 is -0.500000; 0 to 1 is expected");
  EXPECT_EQ(refusal(two(300.0F)),
            "a.npy: a value of image 1 is 300.000000; 0 to 255 is expected");
  EXPECT_NE(
      refusal(two(std::numeric_limits<float>::quiet_NaN())).find("is nan"),
      std::string::npos);
  EXPECT_NE(refusal(two(std::numeric_limits<float>::infinity())).find("is inf"),
            std::string::npos);
}

TEST(ArrayImages, other_ranks_and_sizes_beyond_the_limits_are_refused) {
  EXPECT_NE(refusal(bytes_array({4, 4})).find("rank 3 or 4"),
            std::string::npos);
  EXPECT_NE(refusal(bytes_array({1, 1, 2, 3, 1})).find("rank 3 or 4"),
            std::string::npos);
  EXPECT_NE(refusal(bytes_array({0, 0, 4})).find("no pixels"),
            std::string::npos);
  ArrayImageOptions options;
  options.limits.max_images = 1;
  EXPECT_NE(refusal(bytes_array({2, 4, 4}), options).find("too many"),
            std::string::npos);
}

TEST(ArrayImages, labels_are_integers_from_0_to_65535) {
  const auto labels = [](const std::vector<double>& values) {
    return array_of(ElementType::kFloat64, {values.size()}, values, "l.npy");
  };
  EXPECT_EQ(labels_of_array(labels({3, 0, 65535})),
            (std::vector<std::int32_t>{3, 0, 65535}));
  EXPECT_EQ(message_of<IoError>([&] {
              labels_of_array(labels({0, -1}));
            }),
            "l.npy: label 1 is -1; 0 to 65535 is expected");
  EXPECT_THROW(labels_of_array(labels({65536})), IoError);
  EXPECT_THROW(labels_of_array(labels({0.5})), InvalidArgument);
}

}  // namespace array_images_test
}  // namespace sbog
