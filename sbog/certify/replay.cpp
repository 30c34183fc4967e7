// SPDX-License-Identifier: Apache-2.0
// See replay.h.
#include "sbog/certify/replay.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "sbog/certify/detail/checks.h"
#include "sbog/sample/round.h"
#include "sbog/sample/selection.h"

namespace sbog {
namespace {

constexpr std::size_t kBatch = 8;  // rounds scored in one call

template <typename T>
RoundOutcome outcome_of(const PreparedClass<T>& prepared, const Turn& turn) {
  RoundOutcome outcome;
  outcome.anchor_row = prepared.anchors.anchors[turn.anchor];
  const FeasibleSet valid = feasible_without_score(prepared, turn);
  for (const std::size_t j : valid.proposals) {
    const double score = turn.scores[j];
    outcome.second = std::max(outcome.second, std::min(score, outcome.best));
    outcome.best = std::max(outcome.best, score);
  }
  const FeasibleSet feasible = feasible_of(prepared, turn);
  if (feasible.proposals.empty()) return outcome;
  outcome.is_accepted = true;
  outcome.proposal = select_outlier(selection_of(prepared, turn, feasible),
                                    prepared.options.pick)
                         .front();
  return outcome;
}

template <typename T>
void play_batch(const PreparedClass<T>& prepared, std::size_t first,
                std::span<RoundOutcome> outcomes) {
  std::vector<std::size_t> outputs(outcomes.size());
  std::iota(outputs.begin(), outputs.end(), std::size_t{0});
  std::vector<Turn> turns = draw_turns(prepared, 0, first, outputs);
  Matrix<T> points;
  play_turns(prepared, prepared.options.proposal_count, turns, points);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    outcomes[i] = outcome_of(prepared, turns[i]);
  }
}

}  // namespace

double Replay::acceptance() const {
  if (rounds.empty()) return 0.0;
  const auto accepted = std::count_if(
      rounds.begin(), rounds.end(),
      [](const RoundOutcome& round) { return round.is_accepted; });
  return static_cast<double>(accepted) / static_cast<double>(rounds.size());
}

template <typename T>
Replay replay_rounds(const PreparedClass<T>& prepared, std::size_t count,
                     const Context& context) {
  detail::need(count < (std::uint64_t{1} << 32),
               "replay: fewer than 2^32 rounds are expected");
  Replay replay;
  replay.rounds.resize(count);
  replay.status = play_batches(
      context, count, kBatch,
      [&](std::size_t first, std::size_t size, std::size_t /*worker*/) {
        play_batch(prepared, first,
                   std::span(replay.rounds).subspan(first, size));
      });
  return replay;
}

template Replay replay_rounds(const PreparedClass<float>&, std::size_t,
                              const Context&);
template Replay replay_rounds(const PreparedClass<double>&, std::size_t,
                              const Context&);

}  // namespace sbog
