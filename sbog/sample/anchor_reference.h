// SPDX-License-Identifier: Apache-2.0
// The local references of the sampler: each anchor with the bank points
// nearest to it.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/sample/proposal_scorer.h"
#include "sbog/sample/sampler_options.h"
#include "sbog/sample/subspace.h"

namespace sbog {

/// The neighbours of one anchor as a reference of their own.
template <typename T>
struct AnchorReference {
  Matrix<T> points;
  std::vector<double> losses;
  double mass = 0.0;  ///< what the count of atoms is divided by
  std::unique_ptr<ProposalScorer<T>> scorer;
  std::unique_ptr<LocalSubspace<T>> subspace;  ///< in subspace mode
  /// Added to the energies of `scorer`, whose weights are normalised.
  double energy_offset = 0.0;
};

/// What the references are cut from. Views only, which must stay valid.
template <typename T>
struct AnchorReferenceProblem {
  MatrixView<const T> points;                ///< the class's bank points
  std::span<const double> losses;            ///< one per point, or empty
  std::span<const double> class_anchor;      ///< of unit length, or empty
  MatrixView<const double> anchors;          ///< in double, unit on the sphere
  std::span<const std::size_t> anchor_rows;  ///< their rows in `points`
  bool has_subspace = false;
};

/// The references of all anchors. All of them are kept where they are few;
/// otherwise they are made when asked for and the recent ones kept, so that
/// memory is bounded. Safe to use from several threads.
template <typename T>
class AnchorReferences {
 public:
  /// No local references.
  AnchorReferences() = default;
  /// Neighbours are atoms of `model`, which is not needed later. At most
  /// `largest_bytes` are kept, but no fewer than 16 references.
  AnchorReferences(const AnchorReferenceProblem<T>& problem,
                   const EnergyModel<T>& model, const SamplerOptions& options,
                   const Context& context = {},
                   std::size_t largest_bytes = std::size_t{1} << 30);

  bool empty() const { return masses_.empty(); }
  std::size_t size() const { return masses_.size(); }
  /// The reference of anchor number a.
  std::shared_ptr<const AnchorReference<T>> at(std::size_t a) const;
  /// References that are in memory now.
  std::size_t kept_count() const;

 private:
  struct Cache {
    std::mutex mutex;
    std::vector<std::shared_ptr<const AnchorReference<T>>> slots;
    std::deque<std::size_t> order;  // oldest first
    std::size_t limit = 0;
  };

  std::shared_ptr<const AnchorReference<T>> build(std::size_t a) const;

  AnchorReferenceProblem<T> problem_;
  SamplerOptions options_;
  Matrix<std::size_t> rows_;  // neighbours of each anchor, nearest first
  std::vector<double> masses_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace sbog
