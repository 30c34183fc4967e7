// SPDX-License-Identifier: Apache-2.0
// Simple detectors that every result has to be read against. Channels are
// scaled as for the detector or, for the rules named after z-scores, to mean 0
// and deviation 1, which suits some sets much better and others much worse. A
// larger score is more anomalous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"

namespace sbog {

/// The rules.
enum class Baseline {
  kRandom,    ///< uniform numbers; Philox counter (row, 0, 0, 0), key = seed
  kNorm,      ///< length of the row, channels scaled to [0, 1] in training
  kRange,     ///< sum over the channels of how far the training range is left
  kPca,       ///< distance to the components that hold 90 % of the variance
  kNearest,   ///< distance to the nearest training row
  kKMeans,    ///< distance of windows of 20 rows to the nearest of 20 centres
  kNormZ,     ///< length of the row of z-scores
  kPcaZ,      ///< kPca on z-scores
  kNearestZ,  ///< kNearest on z-scores
};

inline constexpr Baseline kAllBaselines[] = {
    Baseline::kRandom, Baseline::kNorm,    Baseline::kRange,
    Baseline::kPca,    Baseline::kNearest, Baseline::kKMeans,
    Baseline::kNormZ,  Baseline::kPcaZ,    Baseline::kNearestZ};

/// "random", "l2norm", "range", "pca", "1nn", "kmeans", "l2norm-z", "pca-z",
/// "1nn-z".
std::string_view to_string(Baseline rule);

/// One score per test row. Throws InvalidArgument for different numbers of
/// channels or no rows. kKMeans needs at least 20 rows in both.
std::vector<double> baseline_scores(Baseline rule,
                                    MatrixView<const double> train,
                                    MatrixView<const double> test,
                                    std::uint64_t seed = 0,
                                    const Context& context = {});

}  // namespace sbog
