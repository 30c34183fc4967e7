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
#include <span>

#include "sbog/base/matrix.h"

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

/// Coordinates [0, out.size()) of proposal j alone, from blocks first_block + b
/// instead of 2^31 + b: with kSubspaceBlock, the bits of fill_normals.
void fill_row_normals(std::array<std::uint32_t, 2> key, std::uint32_t k,
                      std::uint32_t class_round, std::uint32_t j,
                      std::uint32_t first_block, std::span<float> out);

/// out[lane] = sum over rows of tile[row * width + lane]^2, in double.
void column_squares(const float* tile, std::size_t rows, std::size_t width,
                    double* out);
/// out[lane] = sum over rows of weights[row] * tile[row * width + lane], in
/// double.
void column_products(const float* tile, std::span<const double> weights,
                     std::size_t width, double* out);
/// out[i * width + lane] = sum over k < used[i] of factor(i, k) *
/// tile[k * width + lane], for every row i of `factor`; `used` increases.
void combine_columns(MatrixView<const float> factor,
                     std::span<const std::size_t> used, const float* tile,
                     std::size_t width, float* out);
/// tile[row * width + lane] = tile[row * width + lane] * scales[lane] +
/// shifts[row] * factors[lane].
void shift_columns(float* tile, std::span<const double> shifts,
                   std::size_t width, const float* scales,
                   const float* factors);
/// tile[row * width + lane] *= factors[lane].
void scale_columns(float* tile, std::size_t rows, std::size_t width,
                   const float* factors);

}  // namespace sbog::detail
