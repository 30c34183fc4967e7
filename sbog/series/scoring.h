// SPDX-License-Identifier: Apache-2.0
// From class probabilities to anomaly scores of windows.
//
//   majority    s = 1 - p of the class that most originals fall into
//   normal_set  s = 1 - sum of p over the classes that hold more originals than
//               negatives; without labels, and equal to majority when one class
//               holds all originals or no class holds more of them
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog::series {

/// Which classes count as normal.
enum class ScoreRule { kMajority, kNormalSet };

/// The most probable class of each row; ties by smaller class.
std::vector<std::size_t> assigned_classes(
    MatrixView<const float> probabilities);

/// Normal classes from the probabilities of a pool: `originals` rows first,
/// negatives after them. kMajority gives one class (ties by smaller class),
/// counted over the originals or, with `counts_negatives`, over the pool.
std::vector<bool> normal_classes(MatrixView<const float> pool,
                                 std::size_t originals, ScoreRule rule,
                                 bool counts_negatives = false);

/// One minus the probability of the normal classes, one per row.
std::vector<double> anomaly_scores(MatrixView<const float> probabilities,
                                   const std::vector<bool>& normal);

}  // namespace sbog::series
