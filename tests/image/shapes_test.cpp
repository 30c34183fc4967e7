// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog {
namespace shapes_test {

using testing_support::same_pixels;

ShapesOptions options_of(std::size_t count, std::uint64_t seed = 5) {
  ShapesOptions options;
  options.count = count;
  options.seed = seed;
  return options;
}

// Pixels that are nearer to the brightest than to the darkest, and where they
// lie on average.
struct Figure {
  double area = 0.0;
  double x = 0.0;
  double y = 0.0;
};

Figure figure_of(const ImageSet& set, std::size_t i) {
  const auto row = set.pixels.row(i);
  const auto [low, high] = std::minmax_element(row.begin(), row.end());
  const double middle = 0.5 * (*low + *high);
  Figure figure;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] <= middle) continue;
    figure.area += 1.0;
    figure.x += static_cast<double>(k % set.shape.width);
    figure.y += static_cast<double>(k / set.shape.width);
  }
  figure.x /= figure.area;
  figure.y /= figure.area;
  return figure;
}

TEST(Shapes, classes_come_in_turn_with_their_names) {
  const ImageSet set = make_shapes(options_of(20));
  EXPECT_NO_THROW(check_images(set, "shapes"));
  EXPECT_EQ(set.shape, (ImageShape{1, 28, 28}));
  ASSERT_EQ(set.class_names.size(), kShapeClasses);
  EXPECT_EQ(set.class_names[0], "disc");
  EXPECT_EQ(set.class_names[7], to_string(Shape::kZigzag));
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(set.labels[k], static_cast<std::int32_t>(k % 8));
  }
}

TEST(Shapes, an_image_is_the_same_whatever_the_count) {
  const ImageSet large = make_shapes(options_of(50));
  const ImageSet small = make_shapes(options_of(11));
  for (std::size_t i = 0; i < small.count(); ++i) {
    EXPECT_TRUE(std::ranges::equal(small.pixels.row(i), large.pixels.row(i)));
  }
}

TEST(Shapes, a_set_that_begins_later_is_the_tail_of_the_longer_one) {
  const ImageSet large = make_shapes(options_of(48));
  ShapesOptions options = options_of(16);
  options.first = 4;
  const ImageSet tail = make_shapes(options);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_TRUE(
        std::ranges::equal(tail.pixels.row(i), large.pixels.row(32 + i)));
  }
}

TEST(Shapes, another_seed_draws_other_images) {
  EXPECT_TRUE(same_pixels(make_shapes(options_of(16, 1)),
                          make_shapes(options_of(16, 1))));
  EXPECT_FALSE(same_pixels(make_shapes(options_of(16, 1)),
                           make_shapes(options_of(16, 2))));
}

TEST(Shapes, no_two_images_are_alike) {
  const ImageSet set = make_shapes(options_of(400));
  std::set<std::vector<std::uint8_t>> seen;
  for (std::size_t i = 0; i < set.count(); ++i) {
    const auto row = set.pixels.row(i);
    EXPECT_TRUE(seen.insert({row.begin(), row.end()}).second) << i;
  }
}

// Without noise, ink covers what geometry says: pi (0.85 r)^2 for a disc and
// (1.5 r)^2 for a square, with the radius and the stretch that were drawn, so
// the mean over many discs and squares has the ratio of the two.
TEST(Shapes, discs_and_squares_cover_areas_in_the_ratio_of_geometry) {
  ShapesOptions options = options_of(8 * 400);
  options.noise = 0.0;
  options.height = options.width = 56;
  const ImageSet set = make_shapes(options);
  double disc = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < set.count(); i += 8) {
    disc += figure_of(set, i).area;
    square += figure_of(set, i + 2).area;
  }
  const double expected = std::numbers::pi * 0.85 * 0.85 / (1.5 * 1.5);
  EXPECT_NEAR(disc / square, expected, 0.06);
}

TEST(Shapes, figures_lie_all_over_the_image) {
  const ImageSet set = make_shapes(options_of(800));
  double left = 28.0;
  double right = 0.0;
  double top = 28.0;
  double bottom = 0.0;
  for (std::size_t i = 0; i < set.count(); ++i) {
    const Figure figure = figure_of(set, i);
    EXPECT_GT(figure.area, 8.0) << i;
    left = std::min(left, figure.x);
    right = std::max(right, figure.x);
    top = std::min(top, figure.y);
    bottom = std::max(bottom, figure.y);
  }
  EXPECT_LT(left, 8.0);
  EXPECT_LT(top, 8.0);
  EXPECT_GT(right, 19.0);
  EXPECT_GT(bottom, 19.0);
}

TEST(Shapes, noise_has_the_wanted_deviation) {
  ShapesOptions quiet = options_of(64);
  quiet.noise = 0.0;
  ShapesOptions noisy = options_of(64);
  noisy.noise = 0.03;
  const ImageSet a = make_shapes(quiet);
  const ImageSet b = make_shapes(noisy);
  double squares = 0.0;
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.pixels.size(); ++k) {
    const double level = a.pixels.elements()[k];
    // Away from the ends, where clamping eats noise.
    if (level < 40 || level > 215) continue;
    const double change = b.pixels.elements()[k] - level;
    squares += change * change;
    ++count;
  }
  // Rounding on both sides adds a variance of 1/12 each.
  const double expected = 0.03 * 0.03 * 255 * 255 + 1.0 / 6.0;
  EXPECT_NEAR(squares / static_cast<double>(count), expected, 0.05 * expected);
}

TEST(Shapes, unseen_shapes_have_four_classes_of_their_own) {
  const ImageSet set = make_unseen_shapes(options_of(8));
  EXPECT_EQ(set.class_names,
            (std::vector<std::string>{"star", "heart", "dots", "arrow"}));
  EXPECT_EQ(set.labels, (std::vector<std::int32_t>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(Shapes, options_out_of_range_are_refused) {
  ShapesOptions options;
  EXPECT_NO_THROW(check_options(options));
  options.height = 7;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.width = 4097;
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.noise = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_options(options), InvalidArgument);
  options = {};
  options.first = std::size_t{1} << 33;
  EXPECT_THROW(make_shapes(options), InvalidArgument);
}

}  // namespace shapes_test
}  // namespace sbog
