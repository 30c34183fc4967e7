// SPDX-License-Identifier: Apache-2.0
// The rounds of probe.h, anchors in parallel.
#include "sbog/sample/probe.h"

#include <algorithm>
#include <utility>

#include "sbog/sample/round.h"

namespace sbog {
namespace {

template <typename T>
Probe probe_one(const PreparedClass<T>& prepared, std::size_t anchor,
                std::size_t proposals, std::size_t perturbations) {
  std::vector<Turn> turns(1);
  Turn& turn = turns[0];
  turn.anchor = anchor;
  turn.key = {prepared.options.seed, prepared.problem.cls, kProbeRound,
              static_cast<std::uint32_t>(anchor)};
  Matrix<T> points;
  play_turns(prepared, proposals, turns, points);
  Probe probe;
  probe.feasible.push_back(feasible_of(prepared, turn).proposals.size());
  const FeasibleSet valid = feasible_without_score(prepared, turn);
  for (const std::size_t j : valid.proposals) {
    probe.margins.push_back(turn.scores[j] - prepared.plan.threshold);
  }
  const std::size_t few = std::min(proposals, perturbations);
  turn.scores.resize(few);
  probe.scores = std::move(turn.scores);
  if (!turn.class_cosines.empty()) turn.class_cosines.resize(few);
  probe.class_cosines = std::move(turn.class_cosines);
  return probe;
}

template <typename V>
void append(std::vector<V>& to, const std::vector<V>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

template <typename T>
Probe probe_anchors(const PreparedClass<T>& prepared,
                    std::span<const std::size_t> anchors, std::size_t proposals,
                    std::size_t perturbations, const Context& context) {
  std::vector<Probe> parts(anchors.size());
  ProgressCounter progress(context.observer, anchors.size());
  parallel_for(context, anchors.size(), [&](std::size_t i, std::size_t) {
    if (progress.is_cancelled()) return;
    parts[i] = probe_one(prepared, anchors[i], proposals, perturbations);
    progress.add(1);
  });
  Probe whole;
  if (progress.is_cancelled()) whole.status = SolveStatus::kCancelled;
  for (const Probe& part : parts) {
    append(whole.feasible, part.feasible);
    append(whole.margins, part.margins);
    append(whole.scores, part.scores);
    append(whole.class_cosines, part.class_cosines);
  }
  return whole;
}

template Probe probe_anchors(const PreparedClass<float>&,
                             std::span<const std::size_t>, std::size_t,
                             std::size_t, const Context&);
template Probe probe_anchors(const PreparedClass<double>&,
                             std::span<const std::size_t>, std::size_t,
                             std::size_t, const Context&);

}  // namespace sbog
