// SPDX-License-Identifier: Apache-2.0
// How far outliers are from the bank, in units of how far rows of the bank are
// from each other: a row that is held out is what unseen data look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/energy_model.h"

namespace sbog {

/// Below this ratio outliers are no farther out than unseen data.
inline constexpr double kLeastDistanceRatio = 1.3;

/// Options of distance_ratio.
struct DistanceRatioOptions {
  std::size_t sample = 1000;  ///< outliers, and bank rows, at most
  std::uint64_t seed = 0;
};

/// Median distances to the nearest bank row.
struct DistanceRatio {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled
  double outliers = 0.0;
  double held_out = 0.0;        ///< of bank rows, themselves left out
  std::optional<double> ratio;  ///< nothing when held_out is 0
};

/// Distances are chords for cosine costs, roots of squared costs, and other
/// costs as they are; of a sample drawn by the seed. Nothing is computed
/// without outliers or with fewer than two bank rows.
template <typename T>
[[nodiscard]] DistanceRatio distance_ratio(
    MatrixView<const T> bank, MatrixView<const T> outliers,
    const EnergyOptions& energy, const DistanceRatioOptions& options = {},
    const Context& context = {});

}  // namespace sbog
