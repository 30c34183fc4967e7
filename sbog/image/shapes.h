// SPDX-License-Identifier: Apache-2.0
// A procedural set of images: eight classes of shapes, bright on dark, drawn
// without any file.
//
// Image i of class c is a function of (seed, c, i) alone. Position, size,
// proportions, tilt (up to 25 degrees about the upright pose), stroke, grey
// levels, a slope of the background and pixel noise are drawn for each image.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sbog/image/image_set.h"

namespace sbog {

/// Shapes of the in-distribution set and of the unseen one.
enum class Shape : std::uint32_t {
  kDisc,
  kRing,
  kSquare,
  kTriangle,
  kTee,
  kBar,
  kCrescent,
  kZigzag,
  kStar,
  kHeart,
  kDots,
  kArrow,
};

/// Classes of make_shapes, in the order of Shape.
inline constexpr std::size_t kShapeClasses = 8;
/// Classes of make_unseen_shapes, which follow them.
inline constexpr std::size_t kUnseenShapeClasses = 4;

/// "disc", "ring" and so on.
const char* to_string(Shape shape);

/// How a set of shapes is drawn.
struct ShapesOptions {
  std::size_t count = 4000;  ///< images in all, classes in turn
  std::uint64_t seed = 0;
  /// Number of the first image of each class; a set that begins where another
  /// ends shares no image with it.
  std::size_t first = 0;
  std::size_t height = 28;
  std::size_t width = 28;
  /// Standard deviation of the pixel noise, in shares of the full range.
  double noise = 0.04;
};

/// Throws InvalidArgument unless the extents are 8 to 4096, noise is in
/// [0, 1] and first + count is below 2^32.
void check_options(const ShapesOptions& options);

/// Grey images of the eight classes: image k is of class k % 8 and has number
/// first + k / 8 there. A longer set begins with the shorter one.
ImageSet make_shapes(const ShapesOptions& options);

/// The same with four shapes that make_shapes never draws: star, heart, dots
/// and arrow.
ImageSet make_unseen_shapes(const ShapesOptions& options);

}  // namespace sbog
