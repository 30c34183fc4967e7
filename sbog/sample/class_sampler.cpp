// SPDX-License-Identifier: Apache-2.0
// Rounds of anchors, proposals, tests and picks; see class_sampler.h.
#include "sbog/sample/class_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/sample/langevin.h"
#include "sbog/sample/round.h"
#include "sbog/sample/selection.h"
#include "sbog/sample/splitting.h"

namespace sbog {
namespace {

// Outputs that go through their rounds together, so that their proposals are
// scored in one call, or share what is in the cache about their anchor. It
// never changes a result.
constexpr std::size_t kAmbientBatch = 8;
constexpr std::size_t kSubspaceBatch = 256;
constexpr std::size_t kBatchesPerWorker = 3;

// Streams of sample_at_anchor.
constexpr std::uint32_t kMostAttempts = 16;
constexpr std::uint32_t kRoundsOfAttempt = 4096;

template <typename T>
std::size_t batch_of(const PreparedClass<T>& prepared, std::size_t count,
                     std::size_t workers) {
  if (!prepared.plan.uses_subspace) return kAmbientBatch;
  const std::size_t share = count / (kBatchesPerWorker * workers);
  return std::clamp(share, kAmbientBatch, kSubspaceBatch);
}

// Tests a turn's proposals and, if one holds out, fills the output.
template <typename T>
bool settle(const PreparedClass<T>& prepared, const Turn& turn,
            MatrixView<const T> points, PickRule pick, Output<T>& output,
            AnchorTally& tally) {
  const FeasibleSet feasible = feasible_of(prepared, turn);
  ++tally.draws;
  tally.failures.add(feasible.failures);
  tally.highest_score = std::max(tally.highest_score, feasible.highest_score);
  output.rounds = turn.key.round + 1;
  if (feasible.proposals.empty()) return false;
  const SelectionProblem choice = selection_of(prepared, turn, feasible);
  for (const std::size_t j : select_outlier(choice, pick)) {
    output.origin = OutputOrigin::kRound;
    output.round = turn.key.round;
    output.anchor = turn.anchor;
    output.anchor_row = prepared.anchors.anchors[turn.anchor];
    output.proposal = j;
    output.feasible = feasible.proposals.size();
    output.point = point_of(prepared, turn, points, j);
    if (!verify_output(prepared, output)) continue;
    if (pick == PickRule::kLangevin) {
      move_to_level(prepared, turn.key,
                    choice.threshold + choice.uniform * choice.band, output);
    }
    output.is_accepted = true;
    ++tally.successes;
    return true;
  }
  return false;
}

// Whether an output that no round could make may climb to its band: energies
// have gradients, and with a split bank nothing may follow the reference.
template <typename T>
bool can_climb(const PreparedClass<T>& prepared) {
  return prepared.plan.severity > 0 && !prepared.options.certify &&
         prepared.whole->support().kind() == ScoreKind::kEnergy;
}

// Moves the proposal nearest to the middle of the band, of those that pass the
// cosine tests, along the gradient of the energy.
template <typename T>
void climb_to_band(const PreparedClass<T>& prepared, const Turn& turn,
                   MatrixView<const T> points, Output<T>& output,
                   AnchorTally& tally) {
  Limits limits = prepared.limits;
  limits.threshold = -std::numeric_limits<double>::infinity();
  limits.ceiling = std::numeric_limits<double>::infinity();
  const FeasibleSet feasible =
      filter_feasible({turn.scores, turn.class_cosines, turn.seed_cosines},
                      limits, turn.is_valid);
  if (feasible.proposals.empty()) return;
  const double level = 0.5 * (prepared.plan.band_low + prepared.plan.band_high);
  output.proposal =
      *std::min_element(feasible.proposals.begin(), feasible.proposals.end(),
                        [&](std::size_t a, std::size_t b) {
                          return std::abs(turn.scores[a] - level) <
                                 std::abs(turn.scores[b] - level);
                        });
  output.round = turn.key.round;
  output.anchor = turn.anchor;
  output.anchor_row = prepared.anchors.anchors[turn.anchor];
  output.feasible = 0;
  output.point = point_of(prepared, turn, points, output.proposal);
  verify_output(prepared, output);  // for its energy: it is not in the band
  move_to_level(prepared, turn.key, level, output);
  output.is_accepted = output.origin == OutputOrigin::kLangevin;
  if (output.is_accepted) {
    ++tally.successes;
  } else {
    output.point.clear();
  }
}

template <typename T>
void run_batch(const PreparedClass<T>& prepared, std::size_t first_k,
               std::span<Output<T>> outputs,
               std::vector<AnchorTally>& tallies) {
  const SamplerOptions& options = prepared.options;
  const std::size_t count = options.proposal_count;
  std::vector<std::size_t> pending(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].k =
        (first_k + i) * prepared.output_stride + prepared.output_offset;
    pending[i] = i;
  }
  Matrix<T> points;
  for (std::size_t r = 0; r < options.max_rounds && !pending.empty(); ++r) {
    std::vector<Turn> turns =
        draw_turns(prepared, static_cast<std::uint32_t>(r), first_k, pending);
    std::stable_sort(
        turns.begin(), turns.end(),
        [](const Turn& a, const Turn& b) { return a.anchor < b.anchor; });
    play_turns(prepared, count, turns, points);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const MatrixView<const T> mine =
          points.rows() == 0
              ? MatrixView<const T>()
              : std::as_const(points).view().subrows(i * count, count);
      Output<T>& output = outputs[turns[i].output];
      AnchorTally& tally = tallies[turns[i].anchor];
      if (settle(prepared, turns[i], mine, options.pick, output, tally)) {
        continue;
      }
      left.push_back(turns[i].output);
      if (r + 1 == options.max_rounds && can_climb(prepared)) {
        climb_to_band(prepared, turns[i], mine, output, tally);
      }
    }
    pending = std::move(left);
  }
  if (!options.splitting) return;
  for (const std::size_t i : pending) split_to_level(prepared, outputs[i]);
}

}  // namespace

template <typename T>
bool verify_output(const PreparedClass<T>& prepared, Output<T>& output) {
  const std::vector<double> point(output.point.begin(), output.point.end());
  output.energy = prepared.exact_energy_at(output.anchor, point);
  output.score = prepared.whole->support().kind() == ScoreKind::kEnergy
                     ? output.energy
                     : prepared.exact_score_at(output.anchor, point);
  output.margin = output.score - prepared.plan.threshold;
  output.anchor_cosine = cosine_of<double, double>(
      point, prepared.mapped_anchors.row(output.anchor));
  std::vector<double> class_cosine;
  if (!prepared.problem.class_anchor.empty()) {
    output.class_cosine =
        cosine_of<double, double>(point, prepared.problem.class_anchor);
    class_cosine.push_back(output.class_cosine);
  }
  return !filter_feasible(
              {{&output.score, 1}, class_cosine, {&output.anchor_cosine, 1}},
              prepared.limits)
              .proposals.empty();
}

template <typename T>
SampledRange<T> sample_class(const PreparedClass<T>& prepared,
                             std::size_t first_k, std::size_t count,
                             const Context& context) {
  SampledRange<T> range;
  range.outputs.resize(count);
  const std::vector<AnchorTally> none(prepared.anchors.anchors.size());
  std::vector<std::vector<AnchorTally>> counts(worker_count(context), none);
  const std::size_t batch = batch_of(prepared, count, worker_count(context));
  range.status = play_batches(
      context, count, batch,
      [&](std::size_t first, std::size_t size, std::size_t worker) {
        run_batch(prepared, first_k + first,
                  std::span(range.outputs).subspan(first, size),
                  counts[worker]);
      });
  if (range.status != SolveStatus::kDone) return {range.status, {}, {}};
  range.tallies = none;
  for (const auto& worker : counts) add_tallies(range.tallies, worker);
  return range;
}

template <typename T>
Output<T> sample_at_anchor(const PreparedClass<T>& prepared,
                           const AnchorDraw& draw) {
  require("sample_at_anchor",
          !prepared.plan.uses_subspace && draw.attempt < kMostAttempts &&
              draw.max_rounds < kRoundsOfAttempt - 1,
          "ambient proposals, at most 15 further attempts and 4094 rounds are "
          "expected");
  const PickRule pick =
      draw.attempt == 0 ? prepared.options.pick : PickRule::kUniform;
  Output<T> output;
  output.k = draw.k;
  AnchorTally tally;
  Matrix<T> points;
  std::vector<Turn> turns(1);
  for (std::uint32_t r = 0; r < draw.max_rounds && !output.is_accepted; ++r) {
    turns[0] = Turn();
    turns[0].anchor = draw.anchor;
    turns[0].tangent = draw.tangent;
    turns[0].key = {prepared.options.seed, prepared.problem.cls,
                    kRoundsOfAttempt * draw.attempt + r, draw.k};
    play_turns(prepared, prepared.options.proposal_count, turns, points);
    settle<T>(prepared, turns[0], points, pick, output, tally);
  }
  return output;
}

template Output<float> sample_at_anchor(const PreparedClass<float>&,
                                        const AnchorDraw&);
template Output<double> sample_at_anchor(const PreparedClass<double>&,
                                         const AnchorDraw&);
template bool verify_output(const PreparedClass<float>&, Output<float>&);
template bool verify_output(const PreparedClass<double>&, Output<double>&);
template SampledRange<float> sample_class(const PreparedClass<float>&,
                                          std::size_t, std::size_t,
                                          const Context&);
template SampledRange<double> sample_class(const PreparedClass<double>&,
                                           std::size_t, std::size_t,
                                           const Context&);

}  // namespace sbog
