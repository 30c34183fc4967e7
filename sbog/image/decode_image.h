// SPDX-License-Identifier: Apache-2.0
// A PNG or a JPEG, whichever it is.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sbog/image/image_limits.h"
#include "sbog/image/image_set.h"

namespace sbog {

/// The image; its first bytes tell the format, not its name. Throws IoError as
/// decode_png and decode_jpeg do, and for another format.
Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   const ImageLimits& limits = {});

/// The image of a file.
Image read_image(const std::string& path, const ImageLimits& limits = {});

}  // namespace sbog
