// SPDX-License-Identifier: Apache-2.0
// Neighbours of every item of a pool on the sphere: exact, or the random
// pairing that the public code of the method computes in their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"

namespace sbog::series {

/// How neighbours are found.
struct NeighbourOptions {
  std::size_t count = 5;  ///< nearest, and as many furthest
  /// Items whose positions are less than this apart are no neighbours; 0: only
  /// the item itself is none.
  std::size_t exclusion = 0;
  /// One random vector is ranked against the pool: "nearest to item i" is then
  /// the item of rank i, "furthest" the one of rank n - 1 - i.
  bool has_random_query = false;
  std::uint64_t seed = 4;
};

/// Rows of item numbers, nearest (or furthest) first; ties by smaller number.
struct NeighbourLists {
  std::size_t count = 0;               ///< per item
  std::vector<std::uint32_t> nearest;  ///< items x count
  std::vector<std::uint32_t> furthest;

  std::span<const std::uint32_t> near(std::size_t item) const {
    return std::span(nearest).subspan(item * count, count);
  }
  std::span<const std::uint32_t> far(std::size_t item) const {
    return std::span(furthest).subspan(item * count, count);
  }
};

/// By inner products of unit rows. `positions` is one per item, or empty when
/// the item numbers are the positions. Throws InvalidArgument when an item has
/// fewer others than `count`.
NeighbourLists find_neighbours(MatrixView<const float> points,
                               std::span<const std::size_t> positions,
                               const NeighbourOptions& options,
                               const Context& context = {});

/// For each query the row of `points` with the largest inner product.
std::vector<std::size_t> nearest_rows(MatrixView<const float> queries,
                                      MatrixView<const float> points,
                                      const Context& context = {});

}  // namespace sbog::series
