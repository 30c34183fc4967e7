// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/png.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "oracle/temporary_folder.h"
#include "png_writer.h"
#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace png_test {

using testing_support::bytes_of;
using testing_support::message_of;
using testing_support::png_chunk;
using testing_support::png_file;
using testing_support::png_header;
using testing_support::png_magic;
using testing_support::PngHeader;
using Bytes = std::vector<std::uint8_t>;

Image decode(const std::string& file, const ImageLimits& limits = {}) {
  return decode_png(bytes_of(file), "x.png", limits);
}

std::string refusal(const std::string& file, const ImageLimits& limits = {}) {
  return message_of<IoError>([&] { decode(file, limits); });
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

std::string sample_file() {
  const auto set = testing_support::counting_images(1, {3, 5, 7});
  return text_of(encode_png(set.shape, set.pixels.row(0)));
}

RC_GTEST_PROP(Png, what_is_encoded_is_decoded, ()) {
  const auto side = rc::gen::inRange<std::size_t>(1, 40);
  const ImageShape shape{*rc::gen::element<std::size_t>(1, 3), *side, *side};
  const auto pixels = *rc::gen::container<Bytes>(
      shape.size(), rc::gen::arbitrary<std::uint8_t>());
  const Image image = decode(text_of(encode_png(shape, pixels)));
  RC_ASSERT(image.shape == shape);
  RC_ASSERT(image.pixels == pixels);
}

TEST(Png, grey_of_few_bits_is_widened_to_the_full_range) {
  // Four pixels of two bits: 0, 1, 2, 3.
  const Image image = decode(png_file({4, 1, 2, 0}, std::string("\0\x1b", 2)));
  EXPECT_EQ(image.shape, (ImageShape{1, 1, 4}));
  EXPECT_EQ(image.pixels, (Bytes{0, 85, 170, 255}));
}

TEST(Png, sixteen_bits_are_rounded_to_eight) {
  for (unsigned value = 0; value < 65536; value += 97) {
    std::string row(1, '\0');
    testing_support::append_value(row, static_cast<std::uint16_t>(value),
                                  std::endian::big);
    const Image image = decode(png_file({1, 1, 16, 0}, row));
    ASSERT_EQ(image.pixels[0], std::lround(value * 255.0 / 65535.0)) << value;
  }
}

TEST(Png, a_palette_becomes_colour) {
  const std::string palette = png_chunk("PLTE", {1, 2, 3, 40, 50, 60});
  const Image image =
      decode(png_file({2, 1, 8, 3}, std::string("\0\1\0", 3), palette));
  EXPECT_EQ(image.shape, (ImageShape{3, 1, 2}));
  EXPECT_EQ(image.pixels, (Bytes{40, 1, 50, 2, 60, 3}));
}

TEST(Png, transparency_is_composited_on_black) {
  const Image grey =
      decode(png_file({2, 1, 8, 4}, std::string("\0\x64\x80\x64\xff", 5)));
  EXPECT_EQ(grey.shape, (ImageShape{1, 1, 2}));
  EXPECT_EQ(grey.pixels, (Bytes{50, 100}));
  const Image colour =
      decode(png_file({1, 1, 8, 6}, std::string("\0\x0a\x14\x1e\x80", 5)));
  EXPECT_EQ(colour.shape, (ImageShape{3, 1, 1}));
  EXPECT_EQ(colour.pixels, (Bytes{5, 10, 15}));
  // One level of grey is declared transparent.
  const std::string key = png_chunk("tRNS", std::string("\0\x64", 2));
  const Image keyed =
      decode(png_file({2, 1, 8, 0}, std::string("\0\x64\x65", 3), key));
  EXPECT_EQ(keyed.pixels, (Bytes{0, 0x65}));
}

TEST(Png, an_interlaced_image_is_put_in_order) {
  // Two by two pixels in Adam7: pass 1 has (0,0), pass 6 (0,1), pass 7 row 1.
  const std::string rows("\0\x0a\0\x14\0\x1e\x28", 7);
  const Image image = decode(png_file({2, 2, 8, 0, 1}, rows));
  EXPECT_EQ(image.pixels, (Bytes{10, 20, 30, 40}));
}

TEST(Png, gamma_does_not_change_the_pixels) {
  const std::string gamma = png_chunk("gAMA", std::string("\0\1\x86\xa0", 4));
  const Image image =
      decode(png_file({2, 1, 8, 0}, std::string("\0\x40\x80", 3), gamma));
  EXPECT_EQ(image.pixels, (Bytes{0x40, 0x80}));
}

TEST(Png, a_header_of_65535_by_65535_is_refused_before_anything_is_made) {
  EXPECT_EQ(refusal(png_file({65535, 65535, 8, 2}, "")),
            "x.png: an image of 65535 x 65535 pixels is too large; the limit "
            "is 67108864 pixels, and 65535 a side");
  EXPECT_NE(refusal(png_file({0x7fffffff, 0x7fffffff, 16, 6}, "")).find(": "),
            std::string::npos);
  EXPECT_NE(refusal(png_file({4, 4, 8, 0}, ""), {15, 1, 1000})
                .find("the limit is 15 pixels"),
            std::string::npos);
}

TEST(Png, every_cut_of_a_file_is_refused) {
  const std::string file = sample_file();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string message = refusal(file.substr(0, size));
    ASSERT_TRUE(message.starts_with("x.png: ")) << size << " " << message;
  }
  EXPECT_EQ(refusal(file), "nothing was thrown");
}

TEST(Png, every_changed_byte_is_refused) {
  const std::string file = sample_file();
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string changed = file;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    const std::string message = refusal(changed);
    EXPECT_TRUE(message.starts_with("x.png: ")) << i << " " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Png, damage_with_right_checksums_is_refused) {
  const std::string row = std::string("\0\x40\x80", 3);
  const PngHeader header{2, 1, 8, 0};
  EXPECT_EQ(refusal(png_file(header, row)), "nothing was thrown");
  // Fewer rows than promised, an unknown filter, a palette that is missing, a
  // depth and a colour type that do not exist, no image, no size.
  for (const std::string& file :
       {png_file({2, 2, 8, 0}, row), png_file(header, "\7\1\2"),
        png_file({2, 1, 8, 3}, row), png_file({2, 1, 7, 0}, row),
        png_file({2, 1, 8, 5}, row), png_file({2, 1, 8, 0, 9}, row),
        png_magic() + png_header(header) + png_chunk("IEND", ""),
        png_file({0, 1, 8, 0}, row), png_magic() + png_chunk("IEND", ""),
        png_magic() + png_header(header) + png_chunk("IDAT", "nozlib") +
            png_chunk("IEND", "")}) {
    EXPECT_TRUE(refusal(file).starts_with("x.png: ")) << refusal(file);
  }
}

TEST(Png, what_does_not_begin_as_a_png_is_refused) {
  EXPECT_EQ(refusal("JFIF or so"), "x.png: does not begin as a PNG does");
  EXPECT_FALSE(is_png(bytes_of("\x89PN")));
}

TEST(Png, pixels_that_do_not_fit_the_shape_are_not_encoded) {
  const Bytes six(6);
  EXPECT_THROW(encode_png({1, 2, 4}, six), InvalidArgument);
  EXPECT_THROW(encode_png({2, 1, 3}, six), InvalidArgument);
  EXPECT_THROW(encode_png({1, 0, 0}, {}), InvalidArgument);
}

TEST(Png, a_file_is_written_whole_and_leaves_no_temporary) {
  const testing_support::TemporaryFolder folder;
  const auto set = testing_support::counting_images(1, {1, 4, 4});
  const std::string path = folder.file("a.png");
  write_png(path, set.shape, set.pixels.row(0));
  EXPECT_EQ(testing_support::read_bytes(path),
            text_of(encode_png(set.shape, set.pixels.row(0))));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()),
            1);
  EXPECT_THROW(
      write_png(folder.file("none/a.png"), set.shape, set.pixels.row(0)),
      IoError);
}

}  // namespace png_test
}  // namespace sbog
