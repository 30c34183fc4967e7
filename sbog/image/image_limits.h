// SPDX-License-Identifier: Apache-2.0
// What a reader of images accepts before it allocates anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sbog/image/image_set.h"

namespace sbog {

/// Caps on images from outside. What exceeds one is refused with IoError.
struct ImageLimits {
  /// Height times width of one image; 8192 x 8192.
  std::size_t max_pixels = std::size_t{1} << 26;
  /// Images of a set.
  std::size_t max_images = 10'000'000;
  /// Values of a set as it is kept, one byte each, and what a compressed file
  /// may grow to.
  std::uint64_t max_bytes = std::uint64_t{4} << 30;
  /// Height and width of one image.
  std::size_t max_side = 65535;
};

/// Throws IoError, beginning with `name`, for a zero extent, a longer side or
/// more pixels than allowed.
void check_extents(std::size_t height, std::size_t width,
                   const ImageLimits& limits, const std::string& name);

/// Throws IoError for a zero extent, more images, pixels or bytes than
/// allowed. Products that would wrap around are refused as well.
void check_limits(std::size_t count, const ImageShape& shape,
                  const ImageLimits& limits, const std::string& name);

}  // namespace sbog
