// SPDX-License-Identifier: Apache-2.0
// JPEG images, read from memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sbog/image/image_limits.h"
#include "sbog/image/image_set.h"

namespace sbog {

/// Whether the bytes begin as a JPEG does.
bool is_jpeg(std::span<const std::byte> bytes);

/// The image of a JPEG, grey or colour; a note on its orientation is ignored.
/// Four channels (CMYK), truncation, damage, more pixels than allowed and more
/// than 500 scans are IoErrors that begin with `name`.
Image decode_jpeg(std::span<const std::byte> bytes, const std::string& name,
                  const ImageLimits& limits = {});

}  // namespace sbog
