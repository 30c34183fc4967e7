// SPDX-License-Identifier: Apache-2.0
// Seeks plausible points that hurt a model most, with the model in the loop.
//
// A pool of feasible points is drawn and the model asked for its loss f on it.
// Each round reweights the pool by the Gibbs tilt exp(f / (lambda epsilon)),
// with lambda the dual optimum over the laws on the pool within
//   epsilon KL(law | uniform) <= radius
// (Proposition 3.3 with the pool as its reference), resamples it (systematic),
// moves every copy by a small step and keeps the moves that are feasible. So
// the pool follows the worst-case law restricted to the feasible set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"

namespace sbog::stress {

/// Where points are sought: how feasible ones are drawn and moved. Functions
/// are called one at a time.
class SeekSpace {
 public:
  virtual ~SeekSpace() = default;
  /// Up to `count` feasible points, as rows.
  virtual Matrix<double> draw(std::size_t count, const Context& context) = 0;
  /// Moves row i of `points`, which descends from row origins[i] of draw(), by
  /// a small step; false for rows whose step is not feasible, which are to stay
  /// as they are.
  virtual std::vector<bool> move(MatrixView<double> points,
                                 std::span<const std::size_t> origins,
                                 std::size_t round, const Context& context) = 0;
};

/// The model: one loss per row, larger is worse. May throw.
using PointLoss =
    std::function<std::vector<double>(MatrixView<const double> points)>;

/// How it is sought.
struct SeekOptions {
  std::size_t rounds = 4;
  std::size_t budget = 20000;  ///< points that the model may be asked about
  double epsilon = 1.0;        ///< of the tilt; only radius / epsilon matters
  /// In units of the cost: the effective sample size of a round is about
  /// exp(-radius / epsilon) of the pool.
  double radius = 2.3;
  std::uint64_t seed = 0;
};

/// One round.
struct SeekRound {
  std::size_t calls = 0;        ///< points the model was asked about
  std::size_t feasible = 0;     ///< of them, points that moved
  double mean_loss = 0.0;       ///< over the pool of the round
  double worst_loss = 0.0;      ///< expected loss of the worst-case law on it
  double lambda = 0.0;          ///< dual optimum
  double effective_size = 0.0;  ///< 1 / sum of squared weights
};

/// Why it ended.
enum class SeekEnd {
  kRounds,         ///< all rounds were made
  kNoImprovement,  ///< the mean loss of a round was no larger than before
  kFlat,           ///< the loss is the same all over the pool
  kNothing,        ///< no feasible point could be drawn
  kCancelled,
};

/// "all rounds", "no improvement", "flat loss", "no feasible point",
/// "cancelled".
const char* to_string(SeekEnd end);

/// What was found: the pool with the largest mean loss.
struct SeekResult {
  SeekEnd end = SeekEnd::kRounds;
  std::vector<SeekRound> rounds;
  std::size_t calls = 0;
  Matrix<double> points;
  std::vector<double> losses;
  std::vector<std::size_t> origins;  ///< rows of the first pool
  std::size_t drawn = 0;             ///< points of the first pool
};

/// Seeks. The model is asked about at most `budget` points. The same result for
/// any number of threads. Throws InvalidArgument for options out of range and
/// for losses that are not finite, and what the model throws.
SeekResult seek_failures(SeekSpace& space, const PointLoss& loss,
                         const SeekOptions& options,
                         const Context& context = {});

/// `count` indices by their weights, systematic: each comes floor or ceil of
/// count times its share. `uniform` in [0, 1). Weights >= 0, not all 0.
std::vector<std::size_t> systematic_resample(std::span<const double> weights,
                                             std::size_t count, double uniform);

}  // namespace sbog::stress
