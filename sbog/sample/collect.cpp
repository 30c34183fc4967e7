// SPDX-License-Identifier: Apache-2.0
// Pools of collect.h.
#include "sbog/sample/collect.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sbog/sample/class_sampler.h"
#include "sbog/sample/proposals.h"
#include "sbog/sample/round.h"

namespace sbog {
namespace {

bool is_better(const PoolEntry& a, const PoolEntry& b) {
  if (a.rank != b.rank) return a.rank > b.rank;
  return std::tie(a.round, a.anchor, a.proposal) <
         std::tie(b.round, b.anchor, b.proposal);
}

template <typename T>
Turn turn_of(const PreparedClass<T>& prepared, std::uint32_t round,
             std::uint32_t anchor) {
  Turn turn;
  turn.anchor = anchor;
  turn.key = {prepared.options.seed, prepared.problem.cls, round, anchor};
  return turn;
}

// One round at one anchor.
template <typename T>
std::vector<PoolEntry> play_anchor(const PreparedClass<T>& prepared,
                                   std::uint32_t round, std::uint32_t anchor,
                                   AnchorTally& tally) {
  std::vector<Turn> turns{turn_of(prepared, round, anchor)};
  Matrix<T> points;
  play_turns(prepared, prepared.options.proposal_count, turns, points);
  const FeasibleSet feasible = feasible_of(prepared, turns[0]);
  ++tally.draws;
  tally.successes += feasible.proposals.empty() ? 0 : 1;
  tally.failures.add(feasible.failures);
  tally.highest_score = std::max(tally.highest_score, feasible.highest_score);
  std::vector<PoolEntry> entries;
  for (const std::size_t j : feasible.proposals) {
    entries.push_back({turns[0].acquisitions[j], round, anchor,
                       static_cast<std::uint32_t>(j),
                       static_cast<std::uint32_t>(feasible.proposals.size())});
  }
  return entries;
}

}  // namespace

template <typename T>
std::optional<ProposalPool> collect_pool(const PreparedClass<T>& prepared,
                                         std::size_t count,
                                         const Context& context) {
  const std::size_t anchors = prepared.anchors.anchors.size();
  ProposalPool pool;
  pool.tallies.resize(anchors);
  std::vector<PoolEntry>& entries = pool.entries;
  while (pool.rounds < prepared.options.max_rounds && entries.size() < count) {
    std::vector<std::vector<PoolEntry>> found(anchors);
    // No total: how many rounds it takes is not known.
    ProgressCounter cancel(context.observer, 0);
    parallel_for(context, anchors, [&](std::size_t a, std::size_t) {
      if (!cancel.add(0)) return;
      found[a] = play_anchor(prepared, static_cast<std::uint32_t>(pool.rounds),
                             static_cast<std::uint32_t>(a), pool.tallies[a]);
    });
    if (cancel.is_cancelled()) return std::nullopt;
    for (const auto& part : found) {
      entries.insert(entries.end(), part.begin(), part.end());
    }
    ++pool.rounds;
  }
  const auto kept = entries.begin() + static_cast<std::ptrdiff_t>(
                                          std::min(count, entries.size()));
  std::partial_sort(entries.begin(), kept, entries.end(), is_better);
  entries.erase(kept, entries.end());
  return pool;
}

template <typename T>
Output<T> output_of_entry(const PreparedClass<T>& prepared,
                          const ProposalPool& pool, std::size_t k) {
  Output<T> output;
  output.k = k;
  output.rounds = pool.rounds;
  if (k >= pool.entries.size()) return output;
  const PoolEntry& entry = pool.entries[k];
  const Turn turn = turn_of(prepared, entry.round, entry.anchor);
  output.round = entry.round;
  output.rounds = entry.round + 1;
  output.anchor = entry.anchor;
  output.anchor_row = prepared.anchors.anchors[entry.anchor];
  output.proposal = entry.proposal;
  output.feasible = entry.feasible;
  if (prepared.plan.uses_subspace) {
    output.point = point_of(prepared, turn, MatrixView<const T>(),
                            std::size_t{entry.proposal});
  } else {
    Matrix<T> points(entry.proposal + std::size_t{1},
                     prepared.problem.points.cols());
    std::vector<bool> is_valid;
    draw_proposals(turn.key,
                   {prepared.mapped_anchors.row(entry.anchor), prepared.scale,
                    prepared.problem.shape},
                   prepared.options, points.view(), is_valid);
    output.point = point_of(prepared, turn, std::as_const(points).view(),
                            std::size_t{entry.proposal});
  }
  output.is_accepted = verify_output(prepared, output);
  return output;
}

template std::optional<ProposalPool> collect_pool(const PreparedClass<float>&,
                                                  std::size_t, const Context&);
template std::optional<ProposalPool> collect_pool(const PreparedClass<double>&,
                                                  std::size_t, const Context&);
template Output<float> output_of_entry(const PreparedClass<float>&,
                                       const ProposalPool&, std::size_t);
template Output<double> output_of_entry(const PreparedClass<double>&,
                                        const ProposalPool&, std::size_t);

}  // namespace sbog
