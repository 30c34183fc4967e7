// SPDX-License-Identifier: Apache-2.0
// Squared maximum mean discrepancy of two samples v and z under the kernel
// k(a, b) = exp(-gamma |a-b|^2), gamma = 1 / (2 med^2):
//   mean k(v, v') + mean k(z, z') - 2 mean k(v, z).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"

namespace sbog {

/// Options of mmd_squared.
struct MmdOptions {
  /// Each sample is cut down to this many points, drawn without replacement.
  std::size_t sample_limit = 2048;
  /// The bandwidth is taken from this many points of both samples together.
  std::size_t bandwidth_limit = 1024;
  /// med; 0 means the median heuristic.
  double bandwidth = 0.0;
  std::uint64_t seed = 0;
};

/// Both readings of the statistic.
struct MmdResult {
  /// All pairs, a point with itself among them; in [0, 2].
  double biased = 0.0;
  /// Without the pairs of a point with itself; may be negative. nullopt when a
  /// sample has fewer than two points.
  std::optional<double> unbiased;
  double bandwidth = 0.0;        ///< med
  std::size_t first_count = 0;   ///< points used of the first sample
  std::size_t second_count = 0;  ///< points used of the second sample
};

/// The median of the Euclidean distances of distinct pairs among
/// `bandwidth_limit` points drawn from both samples together (first, then
/// second); the mean of the two middle ones when their number is even. nullopt
/// when fewer than two points are drawn.
template <typename T>
std::optional<double> median_distance(MatrixView<const T> first,
                                      MatrixView<const T> second,
                                      const MmdOptions& options = {});

/// O(sample_limit^2 dim) time, memory for the drawn points only. Throws
/// InvalidArgument for an empty sample, for dimensions that differ, and when
/// the median distance is 0, as then there is no bandwidth.
template <typename T>
MmdResult mmd_squared(MatrixView<const T> first, MatrixView<const T> second,
                      const MmdOptions& options = {},
                      const Context& context = {});

}  // namespace sbog
