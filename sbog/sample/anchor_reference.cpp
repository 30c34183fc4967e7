// SPDX-License-Identifier: Apache-2.0
// Building and keeping the references of anchor_reference.h.
#include "sbog/sample/anchor_reference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/energy/local_reference.h"

namespace sbog {
namespace {

constexpr std::size_t kFewestKept = 16;

// What one reference takes, about: the points, and the factor of the subspace.
template <typename T>
std::size_t bytes_of(const SamplerOptions& options, std::size_t dim,
                     bool has_subspace) {
  const std::size_t square = options.local * options.local;
  return options.local * dim * sizeof(T) +
         (has_subspace ? square * (sizeof(double) + sizeof(float)) : 0);
}

}  // namespace

template <typename T>
AnchorReferences<T>::AnchorReferences(const AnchorReferenceProblem<T>& problem,
                                      const EnergyModel<T>& model,
                                      const SamplerOptions& options,
                                      const Context& context,
                                      std::size_t largest_bytes)
    : problem_(problem), options_(options), cache_(std::make_unique<Cache>()) {
  const auto anchor_rows = problem.anchor_rows;
  const Matrix<T> anchors = copy_rows(problem.points, anchor_rows);
  const auto self =
      options.includes_self ? std::span<const std::size_t>() : anchor_rows;
  rows_ = nearest_atoms<T>(model, anchors.view(), options.local, self, context)
              .rows;
  const std::vector<std::size_t> positions = model.self_positions(anchor_rows);
  for (std::size_t a = 0; a < anchor_rows.size(); ++a) {
    const bool drops_self = !options.includes_self && positions[a] != kNoAtom;
    const bool is_normalised =
        options.local_convention == LocalConvention::kNormalised;
    masses_.push_back(is_normalised ? static_cast<double>(options.local)
                                    : static_cast<double>(model.atom_count()) -
                                          (drops_self ? 1.0 : 0.0));
  }
  const std::size_t each =
      bytes_of<T>(options, problem.points.cols(), problem.has_subspace);
  cache_->slots.resize(anchor_rows.size());
  cache_->limit = std::max(kFewestKept, largest_bytes / each);
  if (anchor_rows.size() > cache_->limit) return;
  parallel_for(context, anchor_rows.size(),
               [&](std::size_t a, std::size_t) { (void)at(a); });
}

template <typename T>
std::shared_ptr<const AnchorReference<T>> AnchorReferences<T>::at(
    std::size_t a) const {
  {
    const std::lock_guard lock(cache_->mutex);
    if (cache_->slots[a]) return cache_->slots[a];
  }
  std::shared_ptr<const AnchorReference<T>> made = build(a);
  const std::lock_guard lock(cache_->mutex);
  // Another thread may have been faster; both made the same.
  if (cache_->slots[a]) return cache_->slots[a];
  cache_->slots[a] = made;
  cache_->order.push_back(a);
  if (cache_->order.size() > cache_->limit) {
    cache_->slots[cache_->order.front()].reset();
    cache_->order.pop_front();
  }
  return made;
}

template <typename T>
std::size_t AnchorReferences<T>::kept_count() const {
  if (!cache_) return 0;
  const std::lock_guard lock(cache_->mutex);
  return cache_->order.size();
}

template <typename T>
std::shared_ptr<const AnchorReference<T>> AnchorReferences<T>::build(
    std::size_t a) const {
  auto local = std::make_shared<AnchorReference<T>>();
  const std::span<const std::size_t> rows = rows_.row(a);
  local->points = copy_rows(problem_.points, rows);
  for (const std::size_t row : rows) {
    if (!problem_.losses.empty()) local->losses.push_back(problem_.losses[row]);
  }
  local->mass = masses_[a];
  local->energy_offset =
      options_.energy.epsilon *
      std::log(local->mass / static_cast<double>(rows.size()));
  const MatrixView<const T> points = std::as_const(local->points).view();
  const ReferenceMeasure<T> measure{points, {}, {}};
  local->scorer =
      std::make_unique<ProposalScorer<T>>(measure, local->losses, options_);
  if (problem_.has_subspace) {
    local->subspace = std::make_unique<LocalSubspace<T>>(
        problem_.anchors.row(a), problem_.class_anchor, points, local->mass,
        options_.energy.epsilon);
  }
  return local;
}

template class AnchorReferences<float>;
template class AnchorReferences<double>;

}  // namespace sbog
