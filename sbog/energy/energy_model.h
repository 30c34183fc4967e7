// SPDX-License-Identifier: Apache-2.0
// The Sinkhorn outlier energy of queries against a reference measure:
//   E(z) = -epsilon log K(z),  K(z) = sum_i nu_i exp(-d(z, z_i) / epsilon),
// with nu normalised. Exact, deterministic for any number of threads, and
// without ever forming the matrix of costs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/energy/energy_state.h"
#include "sbog/energy/ground_cost.h"
#include "sbog/energy/reference_measure.h"

namespace sbog {

namespace detail {
template <typename T>
class PreparedReference;
template <typename T>
struct ModelAccess;
}  // namespace detail

/// What the energy is made of besides the points.
struct EnergyOptions {
  GroundCost cost = GroundCost::kCosine;
  /// Sinkhorn temperature, finite and > 0.
  double epsilon = 0.05;
  /// The matrix W of the Mahalanobis costs (dim x dim); empty otherwise.
  MatrixView<const double> metric;
};

/// Energies in the order of the queries.
struct EnergyResult {
  /// kDone, or kCancelled: then the energies are not to be used.
  SolveStatus status = SolveStatus::kDone;
  /// One per query; +inf where nothing supports the query.
  std::vector<double> energies;
};

/// What shards of a bank can be merged from.
struct EnergyStateResult {
  /// kDone, or kCancelled: then the state is empty.
  SolveStatus status = SolveStatus::kDone;
  EnergyState state;
};

/// Energies against one reference measure. T is the storage type: float is fast
/// (error on E about 1e-7 of the largest cost), double is exact to rounding.
/// States, from which shards are merged, have an error of 1e-7 epsilon besides,
/// which energies do not (see needs_care in exact_energy.h).
template <typename T>
class EnergyModel {
 public:
  /// Checks everything once; throws InvalidArgument. The points, weights and
  /// atoms stay the caller's. Uses 8 bytes per atom besides (cosine, weights).
  EnergyModel(const ReferenceMeasure<T>& reference,
              const EnergyOptions& options);
  EnergyModel(EnergyModel&&) noexcept;
  EnergyModel& operator=(EnergyModel&&) noexcept;
  ~EnergyModel();

  std::size_t dim() const;
  std::size_t atom_count() const;
  GroundCost cost() const;
  double epsilon() const;
  const ReferenceMeasure<T>& reference() const;
  /// L with W = L L' for Mahalanobis costs, otherwise empty.
  MatrixView<const double> metric_factor() const;

  /// Energies of the queries. `self` is empty, or names for each query the bank
  /// row that it does not see (leave-one-out), kNoAtom for none.
  [[nodiscard]] EnergyResult evaluate(MatrixView<const T> queries,
                                      std::span<const std::size_t> self = {},
                                      const Context& context = {}) const;

  /// The mergeable state instead of energies. This reference holds the atoms of
  /// a larger bank from `first_block` on (256 atoms a block).
  [[nodiscard]] EnergyStateResult evaluate_state(
      MatrixView<const T> queries, std::span<const std::size_t> self,
      std::size_t first_block, const Context& context = {}) const;

  /// Every bank row scored without itself (leave-one-out) or, with
  /// `includes_self`, literally.
  [[nodiscard]] EnergyResult evaluate_bank(bool includes_self = false,
                                           const Context& context = {}) const;

  /// Throws InvalidArgument unless the queries have the right dimension, are
  /// finite and fit the cost, and `self` is empty or one bank row per query.
  void check_queries(MatrixView<const T> queries,
                     std::span<const std::size_t> self) const;
  /// Bank rows to positions among the atoms, kNoAtom for rows that are none.
  std::vector<std::size_t> self_positions(
      std::span<const std::size_t> self) const;

 private:
  friend struct detail::ModelAccess<T>;  // for kernels that walk over the atoms

  void check_shapes(MatrixView<const T> queries,
                    std::span<const std::size_t> self) const;

  std::unique_ptr<detail::PreparedReference<T>> prepared_;
};

/// E = -epsilon log K of folded states. Costs are never negative, so neither is
/// E: rounding below zero is clamped.
std::vector<double> energies_of(std::span<const LogSumExp> states,
                                double epsilon);

/// Name of the SIMD instruction set that the kernels use on this CPU.
const char* simd_target();

/// Throws InvalidArgument unless epsilon is finite and > 0.
void check_epsilon(double epsilon);

}  // namespace sbog
