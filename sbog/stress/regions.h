// SPDX-License-Identifier: Apache-2.0
// Regions of the latent space: cases that lie together.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::stress {

/// Points cut into regions, the largest first.
struct Regions {
  std::vector<std::size_t> of_point;  ///< region of each point
  std::vector<std::size_t> centres;   ///< per region the point nearest its mean
};

/// At most `count` regions: centres far from each other (each the point
/// farthest from those before, the first farthest from the mean), then five
/// steps of k-means. Nothing is drawn: the same points give the same regions.
template <typename T>
Regions find_regions(MatrixView<const T> points, std::size_t count);

/// A number of regions in which groups are large enough to say something:
/// about 50 points each, 2 to 8; 1 for fewer than 40 points.
std::size_t region_count(std::size_t points);

}  // namespace sbog::stress
