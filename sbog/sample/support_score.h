// SPDX-License-Identifier: Apache-2.0
// What ranks points by how weakly the data supports them: the energy, or a
// rival's score in its place.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"
#include "sbog/sample/sampler_options.h"

namespace sbog {

/// Which score.
enum class ScoreKind {
  kEnergy,
  kKnn,  ///< cost to the k-th nearest atom
  kKde,  ///< -h^2 log of a Gaussian kernel sum with bandwidth h: the energy
         ///< with epsilon = h^2 on the sphere (2 h^2 and squared Euclidean
         ///< elsewhere), up to a constant
};

/// The score that a rule uses.
ScoreKind score_kind(Rule rule);

/// Bandwidth of a KDE rule over the rows `atoms` of the bank. Scott:
/// sqrt(mean coordinate variance) n^(-1/(d+4)) with d the intrinsic dimension;
/// median: median distance of at most 1024 points; matched: sqrt(epsilon).
template <typename T>
double kde_bandwidth(Rule rule, MatrixView<const T> bank,
                     std::span<const std::size_t> atoms,
                     const EnergyOptions& energy);

/// Scores against one reference measure.
template <typename T>
class SupportScore {
 public:
  /// `options` has been checked; the reference's memory is borrowed.
  SupportScore(const ReferenceMeasure<T>& reference,
               const SamplerOptions& options);

  /// One score per point; `self` as in EnergyModel::evaluate.
  std::vector<double> score(MatrixView<const T> points,
                            std::span<const std::size_t> self = {},
                            const Context& context = {}) const;

  ScoreKind kind() const { return kind_; }
  /// The energy that a proposal is reported with, whatever ranked it.
  const EnergyModel<T>& energy() const { return *energy_; }
  /// What `score` evaluates for kEnergy and kKde: the energy itself, or the
  /// kernel sum as an energy.
  const EnergyModel<T>& kernel() const { return kernel_ ? *kernel_ : *energy_; }

 private:
  ScoreKind kind_;
  std::size_t neighbours_;
  std::unique_ptr<EnergyModel<T>> energy_;
  std::unique_ptr<EnergyModel<T>> kernel_;  // KDE only
};

}  // namespace sbog
