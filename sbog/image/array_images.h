// SPDX-License-Identifier: Apache-2.0
// Images and labels that come as arrays (npy, npz, idx).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sbog/data/array.h"
#include "sbog/image/image_limits.h"
#include "sbog/image/image_set.h"

namespace sbog {

/// Where the channels of an array of rank 4 are.
enum class PixelLayout {
  kAuto,           ///< the one extent, last or second, that is 1 or 3
  kChannelsLast,   ///< images x height x width x channels
  kChannelsFirst,  ///< images x channels x height x width
};

/// What the values of an array mean.
enum class PixelRange {
  /// Bool, and floats whose largest value is at most 1, are [0, 1]; integers,
  /// and floats whose largest value is 2 or more, are [0, 255].
  kAuto,
  kUnit,  ///< [0, 1]
  kByte,  ///< [0, 255]
};

/// How an array is read.
struct ArrayImageOptions {
  PixelLayout layout = PixelLayout::kAuto;
  PixelRange range = PixelRange::kAuto;
  ImageLimits limits = {};
};

/// The images of an array of rank 3 (images x height x width, grey) or 4. Real
/// levels are rounded to nearest; `reading` of the result says what was taken.
/// NaN, infinity and values outside the range, other ranks and other channel
/// counts, an array where kAuto finds no answer, and what exceeds the limits
/// are IoErrors that begin with the name of the array.
ImageSet images_of_array(const Array& array,
                         const ArrayImageOptions& options = {});

/// Class labels, each from 0 to 65,535. Throws InvalidArgument and IoError,
/// beginning with the name of the array.
std::vector<std::int32_t> labels_of_array(const Array& array);

}  // namespace sbog
