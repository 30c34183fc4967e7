// SPDX-License-Identifier: Apache-2.0
// Every metric of generated outliers that the given arrays allow, and for each
// of the others the reason why not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/score_bank.h"
#include "sbog/metrics/flip_rate.h"
#include "sbog/metrics/metric_table.h"
#include "sbog/metrics/mmd.h"
#include "sbog/metrics/nearest_bank.h"
#include "sbog/metrics/sliced_wasserstein.h"

namespace sbog {

/// What is known about the outliers. Views only; all but the first two may be
/// empty.
template <typename T>
struct OutlierProblem {
  MatrixView<const T> bank;                      ///< in-distribution points
  MatrixView<const T> outliers;                  ///< generated points
  std::span<const double> weights;               ///< of the bank rows
  std::span<const std::int64_t> labels;          ///< class of each bank row
  std::span<const std::int64_t> source_classes;  ///< class of each outlier
  MatrixView<const T> anchors;                   ///< one direction per class
  /// Class of each anchor; empty: row c belongs to class c.
  std::span<const std::int64_t> anchor_classes;
  /// E - tau of each outlier as its run had them (its own reference), for Gap
  /// and Accepted; empty: energies of `score`.
  std::span<const double> margins;
  /// Feasible proposals of each chosen anchor, and of bank rows (all or some).
  std::span<const std::size_t> anchor_feasible_counts;
  std::span<const std::size_t> bank_feasible_counts;
  /// E - tau of all semantically valid proposals, accepted and rejected.
  std::span<const double> pool_margins;
  /// Energies of perturbed anchors and their cosines to the class anchor.
  std::span<const double> perturbed_energies;
  std::span<const double> perturbed_cosines;
};

/// How they are evaluated. `seed` takes the place of every other seed in here.
struct OutlierOptions {
  ScoreOptions score;
  MmdOptions mmd;
  SlicedWassersteinOptions sliced;
  FlipRateOptions flips;
  PurityOptions purity;
  /// Smallest cosine of a perturbation that passes; without it no yield.
  std::optional<double> semantic_floor;
  std::uint64_t seed = 0;
};

/// The metrics and what they were made from.
struct OutlierMetrics {
  /// kDone, or kCancelled: then some metrics were not computed.
  SolveStatus status = SolveStatus::kDone;
  MetricTable table;
  std::vector<ClassPurity> purity;  ///< per class, when there are classes
  ScoreResult score;                ///< energies of the outliers, thresholds
};

/// Throws InvalidArgument for arrays that do not fit together, values that are
/// not finite and options that make no sense.
template <typename T>
[[nodiscard]] OutlierMetrics evaluate_outliers(const OutlierProblem<T>& problem,
                                               const OutlierOptions& options,
                                               const Context& context = {});

}  // namespace sbog
