// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/image_limits.h"

#include <array>

#include "sbog/base/errors.h"
#include "sbog/data/detail/checked_size.h"

namespace sbog {

void check_extents(std::size_t height, std::size_t width,
                   const ImageLimits& limits, const std::string& name) {
  if (height == 0 || width == 0) {
    throw IoError(name, "an image has no pixels; at least one is expected");
  }
  const auto pixels = detail::checked_multiply(height, width);
  const bool is_long = height > limits.max_side || width > limits.max_side;
  if (!pixels || *pixels > limits.max_pixels || is_long) {
    throw IoError(name, "an image of " + std::to_string(height) + " x " +
                            std::to_string(width) +
                            " pixels is too large; the limit is " +
                            std::to_string(limits.max_pixels) +
                            " pixels, and " + std::to_string(limits.max_side) +
                            " a side");
  }
}

void check_limits(std::size_t count, const ImageShape& shape,
                  const ImageLimits& limits, const std::string& name) {
  check_extents(shape.height, shape.width, limits, name);
  if (count > limits.max_images) {
    throw IoError(name, std::to_string(count) +
                            " images are too many; the limit is " +
                            std::to_string(limits.max_images));
  }
  const std::array<std::size_t, 4> extents = {count, shape.channels,
                                              shape.height, shape.width};
  const auto bytes = detail::checked_byte_count(extents, 1);
  if (!bytes || *bytes > limits.max_bytes) {
    throw IoError(name, std::to_string(count) + " images of " +
                            to_string(shape) + " are too large; the limit is " +
                            std::to_string(limits.max_bytes) + " bytes");
  }
}

}  // namespace sbog
