// SPDX-License-Identifier: Apache-2.0
// Out-of-distribution companions of a set: as many images of the same shape,
// but of something else.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sbog/image/image_set.h"

namespace sbog {

/// What a companion shows.
enum class Companion : std::uint32_t {
  kStripes,       ///< parallel waves of two colours, any direction
  kChecker,       ///< a tilted board of two colours
  kNoise,         ///< independent uniform values
  kBlobs,         ///< smooth noise: a coarse grid of values, bilinear between
  kUnseenShapes,  ///< star, heart, dots and arrow, grey in every channel
  kInverted,      ///< 255 - value
  kRotated,       ///< a quarter turn; square images only
};

/// All of them, in the order of the enumeration.
std::span<const Companion> all_companions();

/// "stripes", "checker", "noise", "blobs", "unseen", "inverted", "rotated".
const char* to_string(Companion kind);

/// The companion of a name. Throws InvalidArgument, listing the names.
Companion companion_of_name(std::string_view name);

/// As many images of the same shape as `set` has. Image i is a function of
/// (seed, kind, i) and the shape; the inverted and the rotated ones are made of
/// image i of the set, do not depend on the seed and keep its labels. A quarter
/// turn of a figure that looks the same afterwards (disc, ring and square of
/// make_shapes) is not out of distribution. Throws InvalidArgument for a
/// rotation of images that are not square.
ImageSet make_companion(Companion kind, const ImageSet& set,
                        std::uint64_t seed);

/// The same for a shape alone. Throws InvalidArgument for the two that are
/// made of images.
ImageSet make_companion(Companion kind, const ImageShape& shape,
                        std::size_t count, std::uint64_t seed);

}  // namespace sbog
