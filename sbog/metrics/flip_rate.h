// SPDX-License-Identifier: Apache-2.0
// How often the decision E(v) >= tau changes when energy and threshold come
// from a small random part of the bank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/score_bank.h"

namespace sbog {

/// Options of flip_rate.
struct FlipRateOptions {
  std::size_t subset_size = 256;  ///< of the bank, or of each class
  std::size_t subsets = 30;
  std::uint64_t seed = 0;
};

/// The flip rate and the rates it is the mean of.
struct FlipRate {
  /// kDone, or kCancelled: then the rest is not to be used.
  SolveStatus status = SolveStatus::kDone;
  /// Mean over subsets and queries; nullopt when a bank (or a class that is
  /// used, per class) has no more points than a subset.
  std::optional<double> value;
  std::vector<double> rates;  ///< per subset
};

/// The flip rate of the queries at subset_size. Always leave-one-out, on the
/// full bank and on the subsets: otherwise the own weight of a point, 1 over
/// the size, would alone cause flips. `scored` is the leave-one-out result of
/// score_bank on the full bank. Throws InvalidArgument without queries, when
/// `options` includes self, and for no subsets or a subset of fewer than 2
/// points.
template <typename T>
FlipRate flip_rate(const ScoreProblem<T>& problem, const ScoreOptions& options,
                   const ScoreResult& scored,
                   const FlipRateOptions& flip_options = {},
                   const Context& context = {});

}  // namespace sbog
