// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/image_limits.h"

#include <gtest/gtest.h>

#include <limits>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace image_limits_test {

using testing_support::message_of;

constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max() / 2;

std::string refusal(std::size_t count, const ImageShape& shape,
                    const ImageLimits& limits) {
  return message_of<IoError>([&] { check_limits(count, shape, limits, "f"); });
}

TEST(ImageLimits, what_is_at_a_limit_is_accepted) {
  EXPECT_EQ(refusal(5, {3, 4, 6}, {24, 5, 360, 6}), "nothing was thrown");
}

TEST(ImageLimits, what_is_beyond_a_limit_is_refused_by_its_name) {
  EXPECT_EQ(refusal(5, {3, 4, 6}, {23, 5, 360}),
            "f: an image of 4 x 6 pixels is too large; the limit is 23 pixels, "
            "and 65535 a side");
  EXPECT_EQ(refusal(5, {3, 4, 6}, {24, 5, 360, 5}),
            "f: an image of 4 x 6 pixels is too large; the limit is 24 pixels, "
            "and 5 a side");
  EXPECT_EQ(refusal(5, {3, 4, 6}, {24, 4, 360}),
            "f: 5 images are too many; the limit is 4");
  EXPECT_EQ(refusal(5, {3, 4, 6}, {24, 5, 359}),
            "f: 5 images of 3 x 4 x 6 are too large; the limit is 359 bytes");
}

TEST(ImageLimits, sizes_that_would_wrap_around_are_refused) {
  const ImageLimits none{kHuge, kHuge, kHuge, kHuge};
  EXPECT_NE(refusal(1, {1, kHuge, kHuge}, none).find("too large"),
            std::string::npos);
  EXPECT_NE(refusal(kHuge, {3, 1, 1}, none).find("too large"),
            std::string::npos);
}

TEST(ImageLimits, an_image_without_pixels_is_refused) {
  EXPECT_EQ(refusal(1, {1, 0, 4}, {}),
            "f: an image has no pixels; at least one is expected");
}

TEST(ImageLimits, the_largest_header_of_a_jpeg_is_refused_by_default) {
  EXPECT_THROW(check_extents(65535, 65535, {}, "f"), IoError);
  EXPECT_NO_THROW(check_extents(8192, 8192, {}, "f"));
}

}  // namespace image_limits_test
}  // namespace sbog
