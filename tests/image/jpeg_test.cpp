// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/jpeg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "jpeg_writer.h"
#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace jpeg_test {

using testing_support::bytes_of;
using testing_support::flat_jpeg;
using testing_support::jpeg_file;
using testing_support::JpegOptions;
using testing_support::message_of;
using Bytes = std::vector<std::uint8_t>;

Image decode(const std::string& file, const ImageLimits& limits = {}) {
  return decode_jpeg(bytes_of(file), "x.jpg", limits);
}

std::string refusal(const std::string& file, const ImageLimits& limits = {}) {
  return message_of<IoError>([&] { decode(file, limits); });
}

// Smooth colours, which survive compression.
Bytes ramp(const JpegOptions& options) {
  Bytes pixels;
  for (int y = 0; y < options.height; ++y) {
    for (int x = 0; x < options.width; ++x) {
      for (int c = 0; c < options.channels; ++c) {
        pixels.push_back(static_cast<std::uint8_t>(40 + 3 * x + 5 * y + c));
      }
    }
  }
  return pixels;
}

// Replaces height and width in the frame header.
std::string with_size(std::string file, std::uint16_t height,
                      std::uint16_t width) {
  const std::size_t at = file.find(std::string("\xff\xc0", 2));
  std::string size;
  testing_support::append_value(size, height, std::endian::big);
  testing_support::append_value(size, width, std::endian::big);
  return file.replace(at + 5, 4, size);
}

TEST(Jpeg, colours_come_back_in_planes_within_the_loss_of_the_format) {
  for (const bool is_progressive : {false, true}) {
    const JpegOptions options{20, 12, 3, is_progressive, 98};
    const Bytes pixels = ramp(options);
    const Image image = decode(jpeg_file(options, pixels));
    ASSERT_EQ(image.shape, (ImageShape{3, 12, 20}));
    for (std::size_t k = 0; k < 240; ++k) {
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(image.pixels[c * 240 + k], pixels[3 * k + c], 4);
      }
    }
  }
}

TEST(Jpeg, red_is_the_first_plane) {
  const Image image = decode(flat_jpeg({}, {200, 100, 30}));
  EXPECT_NEAR(image.pixels[0], 200, 2);
  EXPECT_NEAR(image.pixels[64], 100, 2);
  EXPECT_NEAR(image.pixels[128], 30, 2);
}

TEST(Jpeg, grey_stays_grey) {
  const JpegOptions options{9, 7, 1, false, 98};
  const Image image = decode(jpeg_file(options, ramp(options)));
  EXPECT_EQ(image.shape, (ImageShape{1, 7, 9}));
  EXPECT_NEAR(image.pixels[0], 40, 2);
}

TEST(Jpeg, four_channels_are_refused) {
  EXPECT_EQ(refusal(flat_jpeg({8, 8, 4}, {1, 2, 3, 4})),
            "x.jpg: the JPEG has 4 channels; 1 (grey) or 3 (colour) is "
            "expected");
}

TEST(Jpeg, a_header_of_65535_by_65535_is_refused_before_anything_is_made) {
  const std::string file = flat_jpeg({}, {1, 2, 3});
  // libjpeg itself stops at 65500.
  EXPECT_TRUE(refusal(with_size(file, 65535, 65535)).starts_with("x.jpg: "));
  EXPECT_EQ(refusal(with_size(file, 65500, 65500)),
            "x.jpg: an image of 65500 x 65500 pixels is too large; the limit "
            "is 67108864 pixels, and 65535 a side");
  EXPECT_NE(refusal(file, {63, 1, 1000}).find("the limit is 63 pixels"),
            std::string::npos);
  EXPECT_TRUE(refusal(with_size(file, 0, 8)).starts_with("x.jpg: "));
}

TEST(Jpeg, every_cut_of_a_file_is_refused) {
  for (const bool is_progressive : {false, true}) {
    const JpegOptions options{20, 12, 3, is_progressive, 90};
    const std::string file = jpeg_file(options, ramp(options));
    EXPECT_EQ(refusal(file), "nothing was thrown");
    for (std::size_t size = 0; size < file.size(); ++size) {
      const std::string message = refusal(file.substr(0, size));
      ASSERT_TRUE(message.starts_with("x.jpg: ")) << size << " " << message;
      ASSERT_EQ(message.find('\n'), std::string::npos);
    }
  }
}

TEST(Jpeg, every_changed_byte_is_read_or_refused) {
  const JpegOptions options{20, 12, 3, true, 90};
  const std::string file = jpeg_file(options, ramp(options));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string changed = file;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      const std::string message = refusal(changed, {1 << 20, 1, 1 << 24});
      if (message == "nothing was thrown") continue;
      ++refused;
      ASSERT_TRUE(message.starts_with("x.jpg: ")) << message;
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Jpeg, rows_that_are_missing_are_not_made_up) {
  const std::string file = flat_jpeg({}, {1, 2, 3});
  EXPECT_TRUE(refusal(with_size(file, 64, 8))
                  .starts_with("x.jpg: the JPEG cannot be read: "));
}

// Every coefficient in scans of its own, bit by bit: 1 + 11 * coefficients.
std::string many_scans(int coefficients) {
  JpegOptions options{8, 8, 1};
  options.scans.push_back({1, {0}, 0, 0, 0, 0});
  for (int k = 1; k <= coefficients; ++k) {
    options.scans.push_back({1, {0}, k, k, 0, 10});
    for (int bit = 9; bit >= 0; --bit) {
      options.scans.push_back({1, {0}, k, k, bit + 1, bit});
    }
  }
  return jpeg_file(options, ramp(options));
}

TEST(Jpeg, more_than_500_scans_are_refused) {
  EXPECT_EQ(refusal(many_scans(45)), "nothing was thrown");
  EXPECT_EQ(refusal(many_scans(46)),
            "x.jpg: the JPEG cannot be read: it has more than 500 scans");
}

TEST(Jpeg, what_does_not_begin_as_a_jpeg_is_refused) {
  EXPECT_EQ(refusal("PNG or so"), "x.jpg: does not begin as a JPEG does");
  EXPECT_FALSE(is_jpeg(bytes_of("\xff\xd8")));
}

}  // namespace jpeg_test
}  // namespace sbog
