// SPDX-License-Identifier: Apache-2.0
// Many standard normals at once, laid out for the tile kernel.
//
// Layout of the subspace stream (the ambient one is PhiloxStream's): key = seed
// low and high; counter = (k, class * 65536 + round, j, 2^31 + b). The words
// (w0, w1) and (w2, w3) of block b give, by Box-Muller in float with uniforms
// (floor(w / 2) + 1/2) / 2^31, coordinates 4b, 4b+1 and 4b+2, 4b+3 of
// proposal j.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sbog::detail {

/// First block of the subspace normals.
inline constexpr std::uint32_t kSubspaceBlock = std::uint32_t{1} << 31;

/// Writes coordinates [0, count) of proposals first_j .. first_j + width - 1 to
/// out[coordinate * width + lane]; out has room for count rounded up to a
/// multiple of 4 rows. width is a multiple of the lane count of float vectors
/// (group widths of the tile kernel are).
void fill_normals(std::array<std::uint32_t, 2> key, std::uint32_t k,
                  std::uint32_t class_round, std::uint32_t first_j,
                  std::size_t count, std::size_t width, float* out);

}  // namespace sbog::detail
