// SPDX-License-Identifier: Apache-2.0
// Stored pixels: from real grey levels, and from channels that lie beside each
// other to planes and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/image/image_set.h"

namespace sbog::detail {

/// The image of interleaved pixels with 1 to 4 channels. A second or fourth
/// channel is opacity: the others are composited on black and it is dropped.
Image to_planes(std::span<const std::uint8_t> pixels, const ImageShape& shape);

/// The planes of an image as interleaved pixels.
std::vector<std::uint8_t> interleave(std::span<const std::uint8_t> planes,
                                     const ImageShape& shape);

/// The nearest of 0 .. 255, halves upwards; what lies beyond is clamped.
inline std::uint8_t to_byte(double level) {
  return static_cast<std::uint8_t>(
      std::floor(std::clamp(level, 0.0, 255.0) + 0.5));
}

}  // namespace sbog::detail
