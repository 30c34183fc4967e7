// SPDX-License-Identifier: Apache-2.0
// The whole scoring job: reference (per class, split, trimmed), energies of the
// bank and of queries, thresholds and diagnostics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/threshold.h"

namespace sbog {

/// What is to be scored. Views only.
template <typename T>
struct ScoreProblem {
  MatrixView<const T> bank;
  std::span<const double> weights;             ///< empty: uniform
  std::span<const std::int64_t> labels;        ///< needed per class
  MatrixView<const T> queries;                 ///< empty: score the bank
  std::span<const std::int64_t> query_labels;  ///< needed per class
};

/// How it is scored.
struct ScoreOptions {
  EnergyOptions energy{};
  /// True: epsilon is find_epsilon of the reference before trimming, of each
  /// class where it is per class, instead of `energy.epsilon`. A class of fewer
  /// than 2 points, or of equal ones, takes that of the whole bank.
  bool finds_epsilon = false;
  bool measures_perplexity = false;  ///< fills in ClassScore::perplexity
  bool includes_self =
      false;                  ///< true: the literal, not leave-one-out, reading
  bool is_per_class = false;  ///< reference of a point = its own class
  double trim = 0.0;          ///< share left out of the reference
  std::size_t local = 0;      ///< > 0: only that many nearest atoms
  LocalConvention local_convention = LocalConvention::kSubmeasure;
  ThresholdOptions threshold{};
  double tolerance = 0.0;  ///< > 0: pruning within this error on E
  std::uint64_t seed = 0;  ///< of the conformal split and of subsampling
  /// With queries, the threshold is calibrated on at most this many bank rows.
  std::size_t calibration_limit = 20000;
};

/// The outcome for one class, or for everything.
struct ClassScore {
  std::int64_t label = 0;  ///< meaningless unless per class
  std::size_t bank_count = 0;
  std::size_t reference_count = 0;
  std::size_t query_count = 0;
  Threshold threshold;
  double share_above = 0.0;        ///< of the scored points
  double median_self_share = 0.0;  ///< nu_i / K(z_i) with z_i kept; 0: no atom
  double epsilon = 0.0;            ///< the temperature of its energies
  /// Reference points that support one of them, median; 0: not measured.
  double perplexity = 0.0;
};

/// Energies and what they mean.
struct ScoreResult {
  SolveStatus status = SolveStatus::kDone;
  /// Of the queries if there are any, else of the bank, in their order.
  std::vector<double> energies;
  std::vector<ClassScore> classes;  ///< one entry unless per class
  double evaluated_share = 1.0;     ///< of the pairs; below 1 after pruning
  double pairs = 0.0;               ///< pairs that the exact walk would take
};

/// Throws InvalidArgument for what cannot be scored.
template <typename T>
[[nodiscard]] ScoreResult score_bank(const ScoreProblem<T>& problem,
                                     const ScoreOptions& options,
                                     const Context& context = {});

/// The first `count` of [0, n) in a random order keyed by the seed, increasing.
std::vector<std::size_t> draw_subset(std::size_t n, std::size_t count,
                                     std::uint64_t seed, std::uint32_t purpose);

}  // namespace sbog
