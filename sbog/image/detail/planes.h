// SPDX-License-Identifier: Apache-2.0
// From pixels that lie channel beside channel to planes, and back.
#pragma once

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

}  // namespace sbog::detail
