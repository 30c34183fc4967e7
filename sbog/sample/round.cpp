// SPDX-License-Identifier: Apache-2.0
// Drawing and scoring of round.h, ambient or in the subspace.
#include "sbog/sample/round.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sbog {

PhiloxStream stream_of(const RoundKey& key) {
  return {key.seed, key.cls, key.round, key.k};
}

template <typename T>
std::size_t draw_anchor(const PreparedClass<T>& prepared, const RoundKey& key) {
  const auto& regions = prepared.anchors.regions;
  if (prepared.options.anchor_quota) {
    const std::uint32_t passed =
        key.round < kProbeRound ? key.round / kPatience : 0;
    const std::size_t turn =
        std::size_t{key.k} / prepared.output_stride + passed;
    const auto& mine = regions[turn % regions.size()];
    return mine[turn / regions.size() % mine.size()];
  }
  const auto& region = regions[key.k / prepared.output_stride % regions.size()];
  return region[stream_of(key).anchor_index(region.size())];
}

template <typename T>
std::vector<Turn> draw_turns(const PreparedClass<T>& prepared,
                             std::uint32_t round, std::size_t first_k,
                             std::span<const std::size_t> outputs) {
  std::vector<Turn> turns(outputs.size());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i].output = outputs[i];
    turns[i].key = {prepared.options.seed, prepared.problem.cls, round,
                    static_cast<std::uint32_t>((first_k + outputs[i]) *
                                                   prepared.output_stride +
                                               prepared.output_offset)};
    turns[i].anchor = draw_anchor(prepared, turns[i].key);
  }
  return turns;
}

SolveStatus play_batches(
    const Context& context, std::size_t count, std::size_t batch,
    const std::function<void(std::size_t, std::size_t, std::size_t)>& body) {
  ProgressCounter progress(context.observer, count);
  parallel_for(context, (count + batch - 1) / batch,
               [&](std::size_t b, std::size_t worker) {
                 if (progress.is_cancelled()) return;
                 const std::size_t first = b * batch;
                 const std::size_t size = std::min(batch, count - first);
                 body(first, size, worker);
                 progress.add(size);
               });
  return progress.is_cancelled() ? SolveStatus::kCancelled : SolveStatus::kDone;
}

template <typename T>
void play_turns(const PreparedClass<T>& prepared, std::size_t count,
                std::vector<Turn>& turns, Matrix<T>& points) {
  const SamplerOptions& options = prepared.options;
  if (prepared.plan.uses_subspace) {
    SubspaceRound round;
    for (Turn& turn : turns) {
      if (prepared.span) {
        prepared.span->evaluate(turn.key, prepared.anchors.anchors[turn.anchor],
                                count, prepared.scale, round);
      } else {
        prepared.local.at(turn.anchor)
            ->subspace->evaluate(turn.key, count, prepared.scale, round);
      }
      turn.scores = round.energies;
      turn.acquisitions = round.energies;
      turn.class_cosines = round.class_cosines;
      turn.seed_cosines = round.seed_cosines;
    }
    return;
  }
  const std::size_t dim = prepared.problem.points.cols();
  points = Matrix<T>(turns.size() * count, dim);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    Turn& turn = turns[i];
    const auto anchor = prepared.mapped_anchors.row(turn.anchor);
    const MatrixView<T> mine = points.view().subrows(i * count, count);
    draw_proposals(
        turn.key,
        {anchor, prepared.scale, prepared.problem.shape, turn.tangent}, options,
        mine, turn.is_valid);
    turn.seed_cosines.resize(count);
    for (std::size_t j = 0; j < count; ++j) {
      turn.seed_cosines[j] = cosine_of<T, double>(mine.row(j), anchor);
    }
    if (prepared.problem.class_anchor.empty()) continue;
    turn.class_cosines.resize(count);
    for (std::size_t j = 0; j < count; ++j) {
      turn.class_cosines[j] =
          cosine_of<T, double>(mine.row(j), prepared.problem.class_anchor);
    }
  }
  const MatrixView<const T> all = points;
  // One call for a common reference, one per turn for local ones.
  std::vector<double> scores;
  if (prepared.local.empty()) scores = prepared.whole->score(all);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const MatrixView<const T> mine = all.subrows(i * count, count);
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(
                                            scores.empty() ? 0 : i * count);
    turns[i].scores =
        scores.empty() ? prepared.score(turns[i].anchor, mine)
                       : std::vector<double>(
                             first, first + static_cast<std::ptrdiff_t>(count));
    turns[i].acquisitions =
        prepared.acquire(turns[i].anchor, mine, turns[i].scores);
  }
}

template <typename T>
std::vector<T> point_of(const PreparedClass<T>& prepared, const Turn& turn,
                        MatrixView<const T> points, std::size_t j) {
  if (prepared.plan.uses_subspace) {
    const auto proposal = static_cast<std::uint32_t>(j);
    const std::vector<double> v =
        prepared.span
            ? prepared.span->complete(turn.key,
                                      prepared.anchors.anchors[turn.anchor],
                                      proposal, prepared.scale)
            : prepared.local.at(turn.anchor)
                  ->subspace->complete(turn.key, proposal, prepared.scale);
    return {v.begin(), v.end()};
  }
  const auto row = points.row(j);
  return {row.begin(), row.end()};
}

template <typename T>
FeasibleSet feasible_of(const PreparedClass<T>& prepared, const Turn& turn) {
  Limits limits = prepared.limits;
  if (turn.tangent != nullptr) {
    limits.ceiling = std::min(limits.ceiling,
                              prepared.plan.threshold + turn.tangent->ceiling);
  }
  return filter_feasible({turn.scores, turn.class_cosines, turn.seed_cosines},
                         limits, turn.is_valid);
}

template <typename T>
FeasibleSet feasible_without_score(const PreparedClass<T>& prepared,
                                   const Turn& turn) {
  Limits cosines_only = prepared.limits;
  cosines_only.threshold = -std::numeric_limits<double>::infinity();
  return filter_feasible({turn.scores, turn.class_cosines, turn.seed_cosines},
                         cosines_only, turn.is_valid);
}

template <typename T>
SelectionProblem selection_of(const PreparedClass<T>& prepared,
                              const Turn& turn, const FeasibleSet& feasible) {
  SelectionProblem choice;
  choice.feasible = feasible.proposals;
  choice.scores = turn.scores;
  choice.acquisitions = turn.acquisitions;
  choice.uniform = stream_of(turn.key).pick_uniform();
  choice.threshold = prepared.plan.threshold;
  choice.band = prepared.options.band;
  if (prepared.plan.severity > 0) {
    choice.threshold = prepared.plan.band_low;
    choice.band = prepared.plan.band_high - prepared.plan.band_low;
  }
  choice.explore = prepared.options.explore;
  return choice;
}

template std::size_t draw_anchor(const PreparedClass<float>&, const RoundKey&);
template std::vector<Turn> draw_turns(const PreparedClass<float>&,
                                      std::uint32_t, std::size_t,
                                      std::span<const std::size_t>);
template FeasibleSet feasible_without_score(const PreparedClass<float>&,
                                            const Turn&);
template SelectionProblem selection_of(const PreparedClass<float>&, const Turn&,
                                       const FeasibleSet&);
template void play_turns(const PreparedClass<float>&, std::size_t,
                         std::vector<Turn>&, Matrix<float>&);
template FeasibleSet feasible_of(const PreparedClass<float>&, const Turn&);
template std::vector<float> point_of(const PreparedClass<float>&, const Turn&,
                                     MatrixView<const float>, std::size_t);
template std::size_t draw_anchor(const PreparedClass<double>&, const RoundKey&);
template std::vector<Turn> draw_turns(const PreparedClass<double>&,
                                      std::uint32_t, std::size_t,
                                      std::span<const std::size_t>);
template FeasibleSet feasible_without_score(const PreparedClass<double>&,
                                            const Turn&);
template SelectionProblem selection_of(const PreparedClass<double>&,
                                       const Turn&, const FeasibleSet&);
template void play_turns(const PreparedClass<double>&, std::size_t,
                         std::vector<Turn>&, Matrix<double>&);
template FeasibleSet feasible_of(const PreparedClass<double>&, const Turn&);
template std::vector<double> point_of(const PreparedClass<double>&, const Turn&,
                                      MatrixView<const double>, std::size_t);

}  // namespace sbog
