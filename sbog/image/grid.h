// SPDX-License-Identifier: Apache-2.0
// Many images on one sheet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sbog/image/image_set.h"

namespace sbog {

/// How images are laid out.
struct GridOptions {
  std::size_t columns = 16;  ///< images beside each other
  std::size_t gap = 2;       ///< pixels between images and around the sheet
  std::size_t scale = 1;     ///< each pixel becomes scale x scale of them
  std::uint8_t paper = 255;  ///< grey level of the gaps
};

/// The images of the set in rows from the upper left; places after the last
/// image are paper. Throws InvalidArgument for no images, no columns, a scale
/// that is not 1 to 64, a gap above 1024, and sheets of more than 2^28 pixels.
Image image_grid(const ImageSet& set, const GridOptions& options = {});

/// Marks an image as one that does not count: what is on it fades to half, and
/// a line (black; red in colours) goes from its upper left to its lower right
/// corner.
void strike_out(std::span<std::uint8_t> pixels, const ImageShape& shape);

}  // namespace sbog
