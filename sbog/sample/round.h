// SPDX-License-Identifier: Apache-2.0
// One round of the sampler: the anchor, its proposals, what they score and the
// choice among them. The common part of sampling, collecting, probing and
// playing rounds again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/sample/feasibility.h"
#include "sbog/sample/prepared_class.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/selection.h"
#include "sbog/sample/subspace.h"

namespace sbog {

/// Rounds with streams of their own, beyond those of outputs.
inline constexpr std::uint32_t kRadiusRound = 65533;
inline constexpr std::uint32_t kProbeRound = 65534;
inline constexpr std::uint32_t kSplittingRound = 65535;

/// Rounds after which an anchor with a quota gives way to the next in turn.
inline constexpr std::uint32_t kPatience = 8;

/// One output in one of its rounds.
struct Turn {
  std::size_t output = 0;  ///< for the caller
  std::size_t anchor = 0;
  RoundKey key;
  const TangentLaw* tangent = nullptr;  ///< null: isotropic proposals
  std::vector<bool> is_valid;           ///< empty: all
  std::vector<double> scores;
  std::vector<double> acquisitions;
  std::vector<double> class_cosines;  ///< empty without a class anchor
  std::vector<double> seed_cosines;
};

/// The stream of a round.
PhiloxStream stream_of(const RoundKey& key);

/// The anchor that a round starts from: at random, or in turn with quotas. An
/// output whose turn falls on a barren anchor goes on to the next after every
/// kPatience rounds; probing and splitting stay with the first.
template <typename T>
std::size_t draw_anchor(const PreparedClass<T>& prepared, const RoundKey& key);

/// The turns of outputs first_k + i, for every i of `outputs`, in one round,
/// with key and anchor set.
template <typename T>
std::vector<Turn> draw_turns(const PreparedClass<T>& prepared,
                             std::uint32_t round, std::size_t first_k,
                             std::span<const std::size_t> outputs);

/// Draws and scores `count` proposals of every turn, whose key and anchor are
/// set. Ambient proposals stay in `points`, `count` rows per turn.
template <typename T>
void play_turns(const PreparedClass<T>& prepared, std::size_t count,
                std::vector<Turn>& turns, Matrix<T>& points);

/// Which of a turn's proposals pass every test.
template <typename T>
FeasibleSet feasible_of(const PreparedClass<T>& prepared, const Turn& turn);

/// Which of them pass every test but the one on the score.
template <typename T>
FeasibleSet feasible_without_score(const PreparedClass<T>& prepared,
                                   const Turn& turn);

/// The choice among a turn's feasible proposals, which it views.
template <typename T>
SelectionProblem selection_of(const PreparedClass<T>& prepared,
                              const Turn& turn, const FeasibleSet& feasible);

/// Calls body(first, size, worker) for consecutive batches of `count` outputs,
/// on all workers, until all are done or the observer asks to stop. Progress
/// counts outputs.
[[nodiscard]] SolveStatus play_batches(
    const Context& context, std::size_t count, std::size_t batch,
    const std::function<void(std::size_t, std::size_t, std::size_t)>& body);

/// The stored point of proposal j; `points` are the turn's ambient proposals.
template <typename T>
std::vector<T> point_of(const PreparedClass<T>& prepared, const Turn& turn,
                        MatrixView<const T> points, std::size_t j);

}  // namespace sbog
