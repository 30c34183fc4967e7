// SPDX-License-Identifier: Apache-2.0
// Scheduling of chunks of queries and segments of blocks over the workers.
#include "sbog/energy/energy_model.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/energy/detail/chunk_evaluator.h"
#include "sbog/energy/detail/prepared_reference.h"
#include "sbog/energy/exact_energy.h"

namespace sbog {
namespace {

constexpr std::size_t kTasksPerWorker = 16;

// How a job is cut. The cut never changes a bit of the result, so it may depend
// on the number of workers.
struct Plan {
  std::size_t chunk;    // queries per chunk
  std::size_t chunks;   // ceil(queries / chunk)
  std::size_t segment;  // blocks per segment, a power of two
  std::size_t segments;
};

template <typename T>
Plan make_plan(const detail::PreparedReference<T>& reference,
               std::size_t queries, std::size_t workers) {
  const std::size_t blocks = reference.block_count();
  // Many small tasks, so that the last one to finish is not alone for long.
  const std::size_t tasks = workers == 1 ? 1 : kTasksPerWorker * workers;
  Plan plan;
  // As many queries as the cache holds: they share every block that is read.
  plan.chunk = std::min(detail::largest_chunk(reference), queries);
  plan.chunks = (queries + plan.chunk - 1) / plan.chunk;
  const std::size_t wanted = (tasks + plan.chunks - 1) / plan.chunks;
  plan.segment = std::bit_ceil(std::max<std::size_t>(1, blocks / wanted));
  plan.segments = (blocks + plan.segment - 1) / plan.segment;
  return plan;
}

// Runs the plan and hands every finished (chunk, state over all blocks) to
// `done`, from any worker.
template <typename T, class Done>
SolveStatus run_plan(const detail::PreparedReference<T>& reference,
                     MatrixView<const T> queries,
                     std::span<const std::size_t> self_positions,
                     std::size_t first_block, const Context& context,
                     const Done& done) {
  if (queries.rows() == 0) return SolveStatus::kDone;
  const Plan plan = make_plan(reference, queries.rows(), worker_count(context));
  const std::size_t blocks = reference.block_count();
  std::vector<detail::ChunkScratch<T>> scratch(worker_count(context));
  std::vector<std::size_t> packed_chunk(scratch.size(), plan.chunks);
  std::vector<std::vector<EnergyState>> parts(
      plan.segments > 1 ? plan.chunks : 0,
      std::vector<EnergyState>(plan.segments, EnergyState(0, 0)));
  // Whoever finishes the last segment of a chunk puts the chunk together.
  std::vector<std::atomic<std::size_t>> segments_left(parts.size());
  for (auto& left : segments_left) left = plan.segments;
  ProgressCounter progress(context.observer, queries.rows() * blocks);
  const auto task = [&](std::size_t index, std::size_t worker) {
    if (progress.is_cancelled()) return;
    const std::size_t chunk = index / plan.segments;
    const std::size_t segment = index % plan.segments;
    const std::size_t first = chunk * plan.chunk;
    const std::size_t count = std::min(plan.chunk, queries.rows() - first);
    detail::ChunkScratch<T>& mine = scratch[worker];
    if (packed_chunk[worker] != chunk) {
      mine.queries.pack(reference, queries, first, count,
                        self_positions.empty()
                            ? self_positions
                            : self_positions.subspan(first, count));
      packed_chunk[worker] = chunk;
    }
    const std::size_t begin = segment * plan.segment;
    const std::size_t end = std::min(begin + plan.segment, blocks);
    EnergyState state(count, first_block + begin, std::move(mine.nodes));
    for (std::size_t block = begin; block < end; ++block) {
      StateNode node = state.next_block();
      detail::evaluate_block(reference, block, mine, node);
      state.append(std::move(node));
      if (!progress.add(count)) return;
    }
    // Freed here, it would go back to the system and return page by page.
    mine.nodes = state.take_spare();
    if (plan.segments == 1) return done(first, std::move(state));
    parts[chunk][segment] = std::move(state);
    if (segments_left[chunk].fetch_sub(1) > 1) return;
    EnergyState whole = std::move(parts[chunk][0]);
    for (std::size_t s = 1; s < plan.segments; ++s) {
      whole.append(std::move(parts[chunk][s]));
    }
    done(first, std::move(whole));
  };
  parallel_for(context, plan.chunks * plan.segments, task);
  if (progress.is_cancelled()) return SolveStatus::kCancelled;
  return SolveStatus::kDone;
}

}  // namespace

const char* simd_target() { return detail::simd_target(); }

void check_epsilon(double epsilon) {
  if (!std::isfinite(epsilon) || !(epsilon > 0.0)) {
    throw InvalidArgument("epsilon: a finite number above 0 is expected, got " +
                          std::to_string(epsilon));
  }
}

std::vector<double> energies_of(std::span<const LogSumExp> states,
                                double epsilon) {
  std::vector<double> energies(states.size());
  for (std::size_t q = 0; q < states.size(); ++q) {
    energies[q] = std::max(0.0, states[q].energy(epsilon));
  }
  return energies;
}

template <typename T>
EnergyModel<T>::EnergyModel(const ReferenceMeasure<T>& reference,
                            const EnergyOptions& options) {
  check_epsilon(options.epsilon);
  // The rows of a whole cosine bank are checked where their lengths are taken.
  if (options.cost != GroundCost::kCosine || !reference.atoms.empty() ||
      reference.points.is_empty()) {
    check_points(reference.points, options.cost, "bank");
  }
  check_measure(reference);
  Matrix<double> factor;
  if (is_mahalanobis(options.cost)) {
    factor = factor_metric(options.metric);
    if (factor.rows() != reference.points.cols()) {
      throw InvalidArgument("metric: " + std::to_string(factor.rows()) +
                            " rows for points of dimension " +
                            std::to_string(reference.points.cols()));
    }
  }
  prepared_ = std::make_unique<detail::PreparedReference<T>>(
      reference, options.cost, options.epsilon, factor);
}

template <typename T>
EnergyModel<T>::EnergyModel(EnergyModel&&) noexcept = default;
template <typename T>
EnergyModel<T>& EnergyModel<T>::operator=(EnergyModel&&) noexcept = default;
template <typename T>
EnergyModel<T>::~EnergyModel() = default;

template <typename T>
std::size_t EnergyModel<T>::dim() const {
  return reference().points.cols();
}
template <typename T>
std::size_t EnergyModel<T>::atom_count() const {
  return reference().atom_count();
}
template <typename T>
GroundCost EnergyModel<T>::cost() const {
  return prepared_->cost();
}
template <typename T>
double EnergyModel<T>::epsilon() const {
  return prepared_->epsilon();
}
template <typename T>
const ReferenceMeasure<T>& EnergyModel<T>::reference() const {
  return prepared_->measure();
}
template <typename T>
MatrixView<const double> EnergyModel<T>::metric_factor() const {
  return prepared_->factor();
}

template <typename T>
void EnergyModel<T>::check_shapes(MatrixView<const T> queries,
                                  std::span<const std::size_t> self) const {
  if (queries.rows() > 0 && queries.cols() != dim()) {
    throw InvalidArgument("queries: dimension " + std::to_string(dim()) +
                          " of the bank is expected, got " +
                          std::to_string(queries.cols()));
  }
  if (!self.empty() && self.size() != queries.rows()) {
    throw InvalidArgument("self: one bank row per query is expected");
  }
  for (const std::size_t row : self) {
    if (row != kNoAtom && row >= reference().points.rows()) {
      throw InvalidArgument("self: " + std::to_string(row) +
                            " is not a row of the bank");
    }
  }
}

template <typename T>
void EnergyModel<T>::check_queries(MatrixView<const T> queries,
                                   std::span<const std::size_t> self) const {
  check_shapes(queries, self);
  if (queries.rows() > 0) check_points(queries, cost(), "queries");
}

template <typename T>
std::vector<std::size_t> EnergyModel<T>::self_positions(
    std::span<const std::size_t> self) const {
  std::vector<std::size_t> positions(self.begin(), self.end());
  if (reference().atoms.empty() || positions.empty()) return positions;
  const std::vector<std::size_t> of_point = positions_of_points(reference());
  for (std::size_t& position : positions) {
    if (position != kNoAtom) position = of_point[position];
  }
  return positions;
}

template <typename T>
EnergyResult EnergyModel<T>::evaluate(MatrixView<const T> queries,
                                      std::span<const std::size_t> self,
                                      const Context& context) const {
  // Cosine queries are checked while they are packed: one pass less.
  if (cost() == GroundCost::kCosine) {
    check_shapes(queries, self);
  } else {
    check_queries(queries, self);
  }
  EnergyResult result;
  result.energies.resize(queries.rows());
  if (queries.rows() == 0) return result;
  const auto done = [&](std::size_t first, const EnergyState& state) {
    const std::vector<double> energies = energies_of(state.fold(), epsilon());
    for (std::size_t i = 0; i < energies.size(); ++i) {
      const std::size_t q = first + i;
      result.energies[q] =
          needs_care(energies[i], epsilon())
              ? careful_energy(*this,
                               std::vector<double>(queries.row(q).begin(),
                                                   queries.row(q).end()),
                               self.empty() ? kNoAtom : self[q])
              : energies[i];
    }
  };
  result.status =
      run_plan(*prepared_, queries, self_positions(self), 0, context, done);
  return result;
}

template <typename T>
EnergyStateResult EnergyModel<T>::evaluate_state(
    MatrixView<const T> queries, std::span<const std::size_t> self,
    std::size_t first_block, const Context& context) const {
  check_queries(queries, self);
  // Every chunk has the same nodes; they are put side by side.
  std::vector<std::pair<std::size_t, EnergyState>> chunks;
  std::mutex mutex;
  const auto done = [&](std::size_t first, EnergyState state) {
    const std::lock_guard lock(mutex);
    chunks.emplace_back(first, std::move(state));
  };
  EnergyStateResult result{SolveStatus::kDone,
                           EnergyState(queries.rows(), first_block)};
  result.status = run_plan(*prepared_, queries, self_positions(self),
                           first_block, context, done);
  EnergyState& whole = result.state;
  if (result.status != SolveStatus::kDone || chunks.empty()) return result;
  std::sort(chunks.begin(), chunks.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < chunks[0].second.nodes().size(); ++i) {
    StateNode node;
    node.first_block = chunks[0].second.nodes()[i].first_block;
    node.level = chunks[0].second.nodes()[i].level;
    for (const auto& [first, state] : chunks) {
      const StateNode& part = state.nodes()[i];
      node.max.insert(node.max.end(), part.max.begin(), part.max.end());
      node.sum.insert(node.sum.end(), part.sum.begin(), part.sum.end());
      node.mass.insert(node.mass.end(), part.mass.begin(), part.mass.end());
    }
    whole.append(std::move(node));
  }
  return result;
}

template <typename T>
EnergyResult EnergyModel<T>::evaluate_bank(bool includes_self,
                                           const Context& context) const {
  std::vector<std::size_t> self;
  if (!includes_self) {
    self.resize(reference().points.rows());
    std::iota(self.begin(), self.end(), std::size_t{0});
  }
  return evaluate(reference().points, self, context);
}

template class EnergyModel<float>;
template class EnergyModel<double>;

}  // namespace sbog
