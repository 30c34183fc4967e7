// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/grid.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace grid_test {

using testing_support::counting_images;

// The plain truth: what colour a pixel of the sheet has.
std::uint8_t expected_pixel(const ImageSet& set, const GridOptions& options,
                            std::size_t columns, std::size_t c, std::size_t y,
                            std::size_t x) {
  const std::size_t high = set.shape.height * options.scale + options.gap;
  const std::size_t wide = set.shape.width * options.scale + options.gap;
  if (y % high < options.gap || x % wide < options.gap) return options.paper;
  const std::size_t image = y / high * columns + x / wide;
  if (image >= set.count()) return options.paper;
  const std::size_t i = (y % high - options.gap) / options.scale;
  const std::size_t j = (x % wide - options.gap) / options.scale;
  return set.pixels(image, (c * set.shape.height + i) * set.shape.width + j);
}

TEST(Grid, every_pixel_is_of_its_image_or_paper) {
  const ImageSet set = counting_images(5, {3, 2, 4});
  for (const GridOptions& options :
       {GridOptions{2, 1, 1, 255}, GridOptions{3, 2, 3, 17},
        GridOptions{5, 0, 2, 0}}) {
    const Image sheet = image_grid(set, options);
    const std::size_t rows = (5 + options.columns - 1) / options.columns;
    const ImageShape shape = {
        3, rows * (2 * options.scale + options.gap) + options.gap,
        options.columns * (4 * options.scale + options.gap) + options.gap};
    ASSERT_EQ(sheet.shape, shape);
    std::size_t at = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t y = 0; y < shape.height; ++y) {
        for (std::size_t x = 0; x < shape.width; ++x) {
          ASSERT_EQ(sheet.pixels[at++],
                    expected_pixel(set, options, options.columns, c, y, x));
        }
      }
    }
  }
}

TEST(Grid, fewer_images_than_columns_make_a_narrow_sheet) {
  const Image sheet = image_grid(counting_images(2, {1, 3, 3}), {});
  EXPECT_EQ(sheet.shape, (ImageShape{1, 7, 12}));
}

TEST(Grid, what_cannot_be_laid_out_is_refused) {
  const ImageSet set = counting_images(2, {1, 3, 3});
  EXPECT_THROW(image_grid(counting_images(0, {1, 3, 3})), InvalidArgument);
  EXPECT_THROW(image_grid(set, {0, 2, 1, 255}), InvalidArgument);
  EXPECT_THROW(image_grid(set, {1, 2, 0, 255}), InvalidArgument);
  EXPECT_THROW(image_grid(set, {1, 2, 65, 255}), InvalidArgument);
  EXPECT_THROW(image_grid(set, {1, 1025, 1, 255}), InvalidArgument);
  ImageSet long_rows = counting_images(200, {1, 1, 40000});
  EXPECT_THROW(image_grid(long_rows, {1, 0, 64, 255}), InvalidArgument);
}

TEST(Grid, a_struck_out_image_fades_and_has_a_line_across) {
  for (const ImageShape& shape : {ImageShape{1, 5, 5}, ImageShape{3, 4, 8}}) {
    const ImageSet set = counting_images(1, shape);
    std::vector<std::uint8_t> pixels(set.pixels.row(0).begin(),
                                     set.pixels.row(0).end());
    strike_out(pixels, shape);
    std::size_t on_line = 0;
    for (std::size_t c = 0; c < shape.channels; ++c) {
      for (std::size_t y = 0; y < shape.height; ++y) {
        for (std::size_t x = 0; x < shape.width; ++x) {
          const std::size_t at = (c * shape.height + y) * shape.width + x;
          // As many columns as rows, or two to a row.
          const bool is_line = x * shape.height / shape.width == y &&
                               (shape.width > shape.height || x == y);
          on_line += is_line ? 1 : 0;
          const int ink = shape.channels == 3 && c == 0 ? 255 : 0;
          EXPECT_EQ(pixels[at], is_line ? ink : (set.pixels(0, at) + 255) / 2);
        }
      }
    }
    EXPECT_EQ(on_line, shape.channels * std::max(shape.height, shape.width));
  }
  std::vector<std::uint8_t> other(3);
  EXPECT_THROW(strike_out(other, {1, 2, 2}), InvalidArgument);
}

}  // namespace grid_test
}  // namespace sbog
