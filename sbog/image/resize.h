// SPDX-License-Identifier: Apache-2.0
// Images of another size, and the way to another size and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sbog/image/image_set.h"

namespace sbog {

/// The image with another height and width. An axis that shrinks is averaged
/// over the area of each output pixel; one that grows, or stays, is read
/// bilinearly at pixel centres, the border repeated. Values are rounded to
/// nearest once, after both axes. Throws InvalidArgument for a zero extent or
/// one above 65,535.
Image resize(const Image& image, std::size_t height, std::size_t width);

/// The same for every image of a set.
ImageSet resize(const ImageSet& set, std::size_t height, std::size_t width);

/// How a grid is read without averaging: what image tools do, and what a
/// detector may mistake for the mark of a generated image.
enum class Resampling {
  kNearest,   ///< the pixel under the centre
  kBilinear,  ///< between the four nearest centres, also when shrinking
};

/// Every image to height x width and back to its own size, with rounding in
/// between. Throws InvalidArgument as resize does.
ImageSet there_and_back(const ImageSet& set, std::size_t height,
                        std::size_t width, Resampling resampling);

/// The range of sizes on the way, as shares of the own size.
struct ThereAndBackOptions {
  double smallest = 0.75;
  double largest = 1.5;
};

/// Image i to a size drawn from the range and back, by nearest or bilinear
/// reading with even odds. What is drawn depends on (seed, i) alone. Used on
/// both sides of a training set, so that the trace of a resampler tells
/// nothing. Throws InvalidArgument unless 0 < smallest <= largest <= 16.
ImageSet there_and_back(const ImageSet& set, std::uint64_t seed,
                        const ThereAndBackOptions& options = {});

}  // namespace sbog
