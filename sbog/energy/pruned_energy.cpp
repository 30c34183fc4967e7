// SPDX-License-Identifier: Apache-2.0
// The bounded walk over cells of pruned_energy.h.
#include "sbog/energy/pruned_energy.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/energy/detail/chunk_evaluator.h"
#include "sbog/energy/detail/prepared_reference.h"
#include "sbog/energy/detail/spatial_order.h"

namespace sbog {
namespace {

using detail::Ball;
using detail::kBlockAtoms;

constexpr std::size_t kLargestDim = 16;
constexpr std::size_t kFewestCells = 16;
constexpr std::size_t kPilotGroups = 8;
constexpr double kLargestShare = 0.6;
// Cells visited between two looks at the stopping rule.
constexpr std::size_t kStride = 2;

double squared_length(std::span<const double> row) {
  double sum = 0.0;
  for (const double x : row) sum += x * x;
  return sum;
}

// Points in the space where the cost is a function of Euclidean distance. Unit
// vectors stay as they are: see length_slack.
template <typename T>
Matrix<double> to_chord_space(const EnergyModel<T>& model,
                              MatrixView<const T> points) {
  const bool is_mapped = is_mahalanobis(model.cost());
  const std::size_t dim =
      is_mapped ? model.metric_factor().cols() : points.cols();
  Matrix<double> result(points.rows(), dim);
  std::vector<double> row(points.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    std::copy_n(points.row(i).begin(), row.size(), row.begin());
    if (is_mapped) {
      apply_factor(model.metric_factor(), row, result.row(i));
      continue;
    }
    const double scale = model.cost() == GroundCost::kCosine
                             ? 1.0 / std::sqrt(squared_length(row))
                             : 1.0;
    for (std::size_t k = 0; k < dim; ++k) result(i, k) = scale * row[k];
  }
  return result;
}

// Unit vectors need not be of length 1 to the last digit, and
//   1 - <z,u> = |z-u|^2 / 2 + (1 - |z|^2) / 2 + (1 - |u|^2) / 2:
// by how much the last parts can lower the cost, for points of one kind.
double length_slack(GroundCost cost, MatrixView<const double> points) {
  if (cost != GroundCost::kUnitCosine) return 0.0;
  double slack = 0.0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    slack = std::max(slack, 0.5 * (squared_length(points.row(i)) - 1.0));
  }
  return slack;
}

template <typename T>
class PrunedWalk {
 public:
  PrunedWalk(const EnergyModel<T>& model, MatrixView<const T> queries,
             double tolerance, std::span<const std::size_t> self,
             const Context& context)
      : model_(model), queries_(queries) {
    const ReferenceMeasure<T>& measure = model.reference();
    parallel_for(context, 2, [&](std::size_t part, std::size_t) {
      part == 0 ? order_atoms() : order_queries();
    });
    ReferenceMeasure<T> ordered = measure;
    ordered.atoms = atom_rows_;
    reference_ = std::make_unique<detail::PreparedReference<T>>(
        ordered, model.cost(), model.epsilon(), model.metric_factor());
    place_self(self);
    blocks_.resize(reference_->block_count());
    for (std::size_t b = 0; b < reference_->block_count(); ++b) {
      atoms_.push_back(reference_->build_block(b, blocks_[b]));
      masses_.push_back(reference_->block_mass(b, kNoAtom));
      log_masses_.push_back(std::log(masses_.back()));
    }
    mass_ = mass_without(kNoAtom);
    log_slack_ = std::log(std::expm1(tolerance / model.epsilon()));
  }

  std::size_t group_count() const {
    return (queries_.rows() + group_ - 1) / group_;
  }
  std::size_t cell_count() const { return cells_.size(); }

  // Energies of one group into `out` (by query row); returns cells visited.
  std::size_t run(std::size_t group, detail::ChunkScratch<T>& scratch,
                  std::span<double> out) const;

 private:
  // A cell with the largest log of what it can add to the kernel sum.
  struct Visit {
    double log_bound;
    std::size_t cell;
  };

  void order_atoms();
  void order_queries();
  void place_self(std::span<const std::size_t> self);
  std::vector<Visit> visits_of(const Ball& ball) const;
  double mass_without(std::size_t excluded) const;

  const EnergyModel<T>& model_;
  MatrixView<const T> queries_;
  std::unique_ptr<detail::PreparedReference<T>> reference_;
  std::size_t group_ = detail::group_width<T>();
  std::vector<std::size_t> atom_rows_;  // bank rows in cell order
  // Built once: few queries share a visit.
  std::vector<detail::BlockScratch<T>> blocks_;
  std::vector<detail::AtomBlock<T>> atoms_;
  std::vector<Ball> cells_;               // one per block
  std::vector<std::size_t> query_order_;  // query rows in group order
  std::vector<Ball> groups_;
  Matrix<T> ordered_queries_;
  std::vector<std::size_t> self_;  // per ordered query, position or kNoAtom
  std::vector<double> masses_;     // one per block
  std::vector<double> log_masses_;
  double mass_ = 0.0;
  double atom_slack_ = 0.0;  // of lengths that are not quite 1
  double query_slack_ = 0.0;
  double log_slack_ = 0.0;  // log(exp(tolerance / epsilon) - 1)
};

template <typename T>
void PrunedWalk<T>::order_atoms() {
  const ReferenceMeasure<T>& measure = model_.reference();
  const Matrix<double> bank = to_chord_space(model_, measure.points);
  atom_slack_ = length_slack(model_.cost(), bank);
  Matrix<double> atoms(measure.atom_count(), bank.cols());
  for (std::size_t i = 0; i < atoms.rows(); ++i) {
    std::copy_n(bank.row(measure.point_of(i)).data(), bank.cols(),
                atoms.row(i).data());
  }
  const std::vector<std::size_t> order =
      detail::spatial_order(atoms, kBlockAtoms);
  for (const std::size_t i : order) atom_rows_.push_back(measure.point_of(i));
  for (std::size_t first = 0; first < order.size(); first += kBlockAtoms) {
    cells_.push_back(detail::ball_of(
        atoms, order, first, std::min(kBlockAtoms, order.size() - first)));
  }
}

template <typename T>
void PrunedWalk<T>::order_queries() {
  const Matrix<double> points = to_chord_space(model_, queries_);
  query_slack_ = length_slack(model_.cost(), points);
  query_order_ = detail::spatial_order(points, group_);
  ordered_queries_ = copy_rows<T>(queries_, query_order_);
  for (std::size_t first = 0; first < query_order_.size(); first += group_) {
    groups_.push_back(
        detail::ball_of(points, query_order_, first,
                        std::min(group_, query_order_.size() - first)));
  }
}

template <typename T>
void PrunedWalk<T>::place_self(std::span<const std::size_t> self) {
  if (self.empty()) return;
  const std::vector<std::size_t> position =
      positions_of_points(reference_->measure());
  for (const std::size_t row : query_order_) {
    self_.push_back(self[row] == kNoAtom ? kNoAtom : position[self[row]]);
  }
}

template <typename T>
auto PrunedWalk<T>::visits_of(const Ball& ball) const -> std::vector<Visit> {
  std::vector<Visit> visits;
  visits.reserve(cells_.size());
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    double distance2 = 0.0;
    for (std::size_t k = 0; k < ball.center.size(); ++k) {
      const double apart = ball.center[k] - cells_[c].center[k];
      distance2 += apart * apart;
    }
    // A little slack for the rounding of float storage.
    const double chord =
        std::max(0.0, std::sqrt(distance2) * (1.0 - 1e-6) - ball.radius -
                          cells_[c].radius - 1e-6);
    const double cost =
        cost_of_chord(model_.cost(), chord) - atom_slack_ - query_slack_;
    visits.push_back({log_masses_[c] - cost / model_.epsilon(), c});
  }
  std::sort(visits.begin(), visits.end(), [](const Visit& a, const Visit& b) {
    return a.log_bound != b.log_bound ? a.log_bound > b.log_bound
                                      : a.cell < b.cell;
  });
  return visits;
}

// Added up without the atom at `excluded`: a difference would cancel.
template <typename T>
double PrunedWalk<T>::mass_without(std::size_t excluded) const {
  if (excluded != kNoAtom && reference_->measure().weights.empty()) {
    return mass_ - 1.0;
  }
  double mass = 0.0;
  for (std::size_t b = 0; b < masses_.size(); ++b) {
    const bool is_inside = excluded != kNoAtom && excluded / kBlockAtoms == b;
    mass += is_inside ? reference_->block_mass(b, excluded) : masses_[b];
  }
  return mass;
}

template <typename T>
std::size_t PrunedWalk<T>::run(std::size_t group,
                               detail::ChunkScratch<T>& scratch,
                               std::span<double> out) const {
  const std::size_t first = group * group_;
  const std::size_t count = std::min(group_, queries_.rows() - first);
  scratch.queries.pack(
      *reference_, ordered_queries_, first, count,
      self_.empty()
          ? std::span<const std::size_t>()
          : std::span<const std::size_t>(self_).subspan(first, count));
  const std::vector<Visit> visits = visits_of(groups_[group]);
  // rest[i]: log of what the visits from i on can add at most.
  std::vector<double> rest(visits.size() + 1,
                           -std::numeric_limits<double>::infinity());
  LogSumExp bound;
  for (std::size_t i = visits.size(); i-- > 0;) {
    bound.add(visits[i].log_bound, 0.0);
    rest[i] = bound.max + std::log(bound.sum);
  }
  StateNode total;
  StateNode part;
  for (StateNode* node : {&total, &part}) {
    node->max.resize(count);
    node->sum.resize(count);
    node->mass.resize(count);
  }
  std::size_t visited = 0;
  while (visited < visits.size()) {
    StateNode& target = visited == 0 ? total : part;
    const std::size_t cell = visits[visited].cell;
    detail::evaluate_block(*reference_, cell, atoms_[cell], scratch, target);
    if (visited > 0) {
      detail::merge_states(count, total.max.data(), total.sum.data(),
                           part.max.data(), part.sum.data());
    }
    ++visited;
    if (visited % kStride != 0) continue;
    bool is_enough = true;
    for (std::size_t q = 0; q < count && is_enough; ++q) {
      is_enough =
          total.sum[q] > 0.0 &&
          rest[visited] <= total.max[q] + std::log(total.sum[q]) + log_slack_;
    }
    if (is_enough) break;
  }
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t self = self_.empty() ? kNoAtom : self_[first + q];
    const LogSumExp state{total.max[q], total.sum[q], mass_without(self)};
    out[query_order_[first + q]] =
        std::max(0.0, state.energy(model_.epsilon()));
  }
  return visited;
}

template <typename T>
PrunedResult exact(const EnergyModel<T>& model, MatrixView<const T> queries,
                   std::span<const std::size_t> self, const Context& context) {
  EnergyResult result = model.evaluate(queries, self, context);
  return {result.status, std::move(result.energies), 1.0, false};
}

}  // namespace

template <typename T>
PrunedResult evaluate_pruned(const EnergyModel<T>& model,
                             MatrixView<const T> queries, double tolerance,
                             std::span<const std::size_t> self,
                             const Context& context) {
  if (!std::isfinite(tolerance) || !(tolerance > 0.0)) {
    throw InvalidArgument(
        "tolerance: a finite number above 0 is expected, got " +
        std::to_string(tolerance));
  }
  model.check_queries(queries, self);
  const std::size_t cells =
      (model.atom_count() + kBlockAtoms - 1) / kBlockAtoms;
  if (model.dim() > kLargestDim || cells < kFewestCells ||
      queries.rows() < detail::group_width<T>()) {
    return exact(model, queries, self, context);
  }
  const PrunedWalk<T> walk(model, queries, tolerance, self, context);
  PrunedResult result;
  result.energies.resize(queries.rows());
  std::vector<detail::ChunkScratch<T>> scratch(worker_count(context));

  const std::size_t groups = walk.group_count();
  const std::size_t pilots = std::min(kPilotGroups, groups);
  std::size_t pilot_visits = 0;
  for (std::size_t i = 0; i < pilots; ++i) {
    pilot_visits += walk.run(i * groups / pilots, scratch[0], result.energies);
  }
  if (static_cast<double>(pilot_visits) >
      kLargestShare * static_cast<double>(pilots * cells)) {
    return exact(model, queries, self, context);
  }
  std::atomic<std::size_t> visits{0};
  ProgressCounter progress(context.observer, queries.rows());
  parallel_for(context, groups, [&](std::size_t group, std::size_t worker) {
    if (progress.is_cancelled()) return;
    visits += walk.run(group, scratch[worker], result.energies);
    const std::size_t width = detail::group_width<T>();
    progress.add(std::min(width, queries.rows() - group * width));
  });
  if (progress.is_cancelled()) result.status = SolveStatus::kCancelled;
  result.is_pruned = true;
  result.evaluated_share =
      static_cast<double>(visits.load()) / static_cast<double>(groups * cells);
  return result;
}

template PrunedResult evaluate_pruned(const EnergyModel<float>&,
                                      MatrixView<const float>, double,
                                      std::span<const std::size_t>,
                                      const Context&);
template PrunedResult evaluate_pruned(const EnergyModel<double>&,
                                      MatrixView<const double>, double,
                                      std::span<const std::size_t>,
                                      const Context&);

}  // namespace sbog
