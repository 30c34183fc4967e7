// SPDX-License-Identifier: Apache-2.0
// Exact nearest neighbours by the tile kernel's logits; see local_reference.h.
#include "sbog/energy/local_reference.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/detail/chunk_evaluator.h"
#include "sbog/energy/detail/prepared_reference.h"

namespace sbog {
namespace {

// (logit, position): larger logit is nearer, then smaller position.
using Candidate = std::pair<double, std::size_t>;

bool is_nearer(const Candidate& a, const Candidate& b) {
  return a.first != b.first ? a.first > b.first : a.second < b.second;
}

// The k best candidates, the worst on top.
class Nearest {
 public:
  void reset(std::size_t k) {
    k_ = k;
    heap_.clear();
  }
  void add(const Candidate& candidate) {
    if (heap_.size() < k_) {
      heap_.push_back(candidate);
      std::push_heap(heap_.begin(), heap_.end(), is_nearer);
    } else if (is_nearer(candidate, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), is_nearer);
      heap_.back() = candidate;
      std::push_heap(heap_.begin(), heap_.end(), is_nearer);
    }
  }
  const std::vector<Candidate>& candidates() const { return heap_; }

 private:
  std::size_t k_ = 0;
  std::vector<Candidate> heap_;
};

template <typename T>
struct Worker {
  detail::ChunkScratch<T> chunk;
  std::vector<T> bias;
  std::vector<T> logits;
  std::vector<Nearest> nearest;
};

// Adds one block's atoms to the heaps of the worker's chunk.
template <typename T>
void scan_block(const detail::PreparedReference<T>& reference,
                std::size_t block, Worker<T>& worker) {
  detail::AtomBlock<T> atoms = reference.build_block(block, worker.chunk.block);
  // Neighbours are by cost, whatever the weight: atoms at the same place tie.
  worker.bias.assign(atoms.bias, atoms.bias + detail::kBlockAtoms);
  for (T& bias : worker.bias) {
    if (bias > T(detail::kAbsentLogit / 2)) bias = T(0);
  }
  atoms.bias = worker.bias.data();
  detail::PackedQueries<T>& queries = worker.chunk.queries;
  worker.logits.resize(detail::kBlockAtoms * detail::group_width<T>());
  for (std::size_t g = 0; g < queries.group_count(); ++g) {
    const detail::QueryGroup<T> group = queries.group(g, block);
    detail::block_logits(atoms, group, reference.tile_options().form,
                         worker.logits.data());
    for (std::size_t a = 0; a < atoms.count; ++a) {
      for (std::size_t lane = 0; lane < queries.group_size(g); ++lane) {
        const T logit = worker.logits[a * group.width + lane];
        if (logit <= T(detail::kAbsentLogit / 2)) continue;
        worker.nearest[queries.group_start(g) + lane].add(
            {static_cast<double>(logit), block * detail::kBlockAtoms + a});
      }
    }
  }
}

}  // namespace

template <typename T>
Neighbours nearest_atoms(const EnergyModel<T>& model,
                         MatrixView<const T> queries, std::size_t k,
                         std::span<const std::size_t> self,
                         const Context& context) {
  const ReferenceMeasure<T>& measure = model.reference();
  if (k == 0 || k > measure.atom_count()) {
    throw InvalidArgument("neighbours: between 1 and " +
                          std::to_string(measure.atom_count()) +
                          " are expected, got " + std::to_string(k));
  }
  model.check_queries(queries, self);
  const std::vector<std::size_t> positions = model.self_positions(self);
  Neighbours result;
  result.rows = Matrix<std::size_t>(queries.rows(), k);
  result.costs = Matrix<double>(queries.rows(), k);
  const detail::PreparedReference<T>& reference = detail::prepared_of(model);
  const std::size_t chunk = detail::group_width<T>();
  const std::size_t chunks = (queries.rows() + chunk - 1) / chunk;
  std::vector<Worker<T>> workers(worker_count(context));
  ProgressCounter progress(context.observer, queries.rows());

  const auto store = [&](std::size_t q, const Nearest& nearest) {
    if (nearest.candidates().size() < k) {
      throw InvalidArgument(
          "neighbours: query " + std::to_string(q) + " has only " +
          std::to_string(nearest.candidates().size()) +
          " atoms to choose from, " + std::to_string(k) + " are expected");
    }
    // Costs again in double, so that order and energies are exact.
    const std::vector<double> z(queries.row(q).begin(), queries.row(q).end());
    std::vector<std::pair<double, std::size_t>> found;
    for (const Candidate& candidate : nearest.candidates()) {
      const std::size_t row = measure.point_of(candidate.second);
      const auto point = measure.points.row(row);
      const std::vector<double> u(point.begin(), point.end());
      found.emplace_back(pair_cost(model.cost(), z, u, model.metric_factor()),
                         row);
    }
    std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i < k; ++i) {
      result.costs(q, i) = found[i].first;
      result.rows(q, i) = found[i].second;
    }
  };

  parallel_for(context, chunks, [&](std::size_t index, std::size_t worker) {
    if (progress.is_cancelled()) return;
    Worker<T>& mine = workers[worker];
    const std::size_t first = index * chunk;
    const std::size_t count = std::min(chunk, queries.rows() - first);
    mine.chunk.queries.pack(
        reference, queries, first, count,
        std::span(positions).subspan(positions.empty() ? 0 : first,
                                     positions.empty() ? 0 : count));
    mine.nearest.resize(count);
    for (Nearest& nearest : mine.nearest) nearest.reset(k);
    for (std::size_t b = 0; b < reference.block_count(); ++b) {
      scan_block(reference, b, mine);
    }
    for (std::size_t q = 0; q < count; ++q) store(first + q, mine.nearest[q]);
    progress.add(count);
  });
  if (progress.is_cancelled()) result.status = SolveStatus::kCancelled;
  return result;
}

template <typename T>
EnergyResult local_energies(const EnergyModel<T>& model,
                            MatrixView<const T> queries, std::size_t k,
                            LocalConvention convention,
                            std::span<const std::size_t> self,
                            const Context& context) {
  const Neighbours near = nearest_atoms(model, queries, k, self, context);
  EnergyResult result;
  result.status = near.status;
  if (near.status != SolveStatus::kDone) return result;
  const ReferenceMeasure<T>& measure = model.reference();
  const auto weight = [&](std::size_t row) {
    return measure.weights.empty() ? 1.0 : measure.weights[row];
  };
  // Added up without the excluded atom: a difference would cancel.
  const auto mass_without = [&](std::size_t excluded) {
    double total = 0.0;
    for (std::size_t i = 0; i < measure.atom_count(); ++i) {
      if (i != excluded) total += measure.weight_of(i);
    }
    return total;
  };
  const double total = mass_without(kNoAtom);
  const std::vector<std::size_t> positions = model.self_positions(self);
  std::vector<LogSumExp> states(queries.rows());
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    for (std::size_t i = 0; i < k; ++i) {
      const double mass = weight(near.rows(q, i));
      states[q].add(std::log(mass) - near.costs(q, i) / model.epsilon(), mass);
    }
    if (convention == LocalConvention::kNormalised) continue;
    const std::size_t excluded = positions.empty() ? kNoAtom : positions[q];
    states[q].mass = total;
    if (excluded != kNoAtom) {
      states[q].mass =
          measure.weights.empty() ? total - 1.0 : mass_without(excluded);
    }
  }
  result.energies = energies_of(states, model.epsilon());
  return result;
}

double outer_cost_bound(GroundCost cost, double outer_cost,
                        double anchor_cost) {
  const double chord =
      chord_of_cost(cost, outer_cost) - chord_of_cost(cost, anchor_cost);
  return cost_of_chord(cost, std::max(0.0, chord));
}

double local_energy_error_bound(double epsilon, std::size_t n,
                                std::size_t omitted, double outer_cost,
                                double local_energy) {
  // exp(-outer/eps) / K_local as one exponential, so that neither underflows.
  const double ratio = static_cast<double>(omitted) / static_cast<double>(n) *
                       std::exp((local_energy - outer_cost) / epsilon);
  return epsilon * std::log1p(ratio);
}

template Neighbours nearest_atoms(const EnergyModel<float>&,
                                  MatrixView<const float>, std::size_t,
                                  std::span<const std::size_t>, const Context&);
template Neighbours nearest_atoms(const EnergyModel<double>&,
                                  MatrixView<const double>, std::size_t,
                                  std::span<const std::size_t>, const Context&);
template EnergyResult local_energies(const EnergyModel<float>&,
                                     MatrixView<const float>, std::size_t,
                                     LocalConvention,
                                     std::span<const std::size_t>,
                                     const Context&);
template EnergyResult local_energies(const EnergyModel<double>&,
                                     MatrixView<const double>, std::size_t,
                                     LocalConvention,
                                     std::span<const std::size_t>,
                                     const Context&);

}  // namespace sbog
