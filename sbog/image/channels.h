// SPDX-License-Identifier: Apache-2.0
// Grey to colour and back.
#pragma once

#include <cstddef>

#include "sbog/image/image_set.h"

namespace sbog {

/// The image with 1 or 3 channels. Grey becomes colour by three equal planes;
/// colour becomes grey as 0.299 red + 0.587 green + 0.114 blue, rounded to
/// nearest (ITU-R BT.601). Throws InvalidArgument for other channel counts.
Image to_channels(const Image& image, std::size_t channels);

/// The same for every image of a set.
ImageSet to_channels(const ImageSet& set, std::size_t channels);

}  // namespace sbog
