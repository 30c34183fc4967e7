// SPDX-License-Identifier: Apache-2.0
// PNG images, read from memory and written complete or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sbog/image/image_limits.h"
#include "sbog/image/image_set.h"

namespace sbog {

/// Whether the bytes begin as a PNG does.
bool is_png(std::span<const std::byte> bytes);

/// The image of a PNG: grey stays grey, colour and palettes become three
/// channels; fewer bits are widened and 16 bits rounded to 8. What is
/// transparent is composited on black. Gamma and colour profiles are ignored.
/// Truncation, a wrong checksum and more pixels than allowed are IoErrors that
/// begin with `name`.
Image decode_png(std::span<const std::byte> bytes, const std::string& name,
                 const ImageLimits& limits = {});

/// The image as an 8-bit PNG, grey or colour; the same bytes for the same
/// pixels and the same library of PNG. Throws InvalidArgument unless there are
/// shape.size() pixels, 1 or 3 channels and extents from 1 to 2^20.
std::vector<std::uint8_t> encode_png(const ImageShape& shape,
                                     std::span<const std::uint8_t> pixels);

/// Writes such a file. Throws InvalidArgument and IoError.
void write_png(const std::string& path, const ImageShape& shape,
               std::span<const std::uint8_t> pixels);

}  // namespace sbog
