// SPDX-License-Identifier: Apache-2.0
// Energies against a query's own nearest neighbours only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"

namespace sbog {

/// How the neighbours are weighted.
enum class LocalConvention {
  /// Weights stay nu_i: K_local is a lower bound of K, so E_local >= E and a
  /// threshold of the full bank stays comparable.
  kSubmeasure,
  /// Weights are normalised among the neighbours: lowers energies by about
  /// epsilon log(n / k). Calibrate the threshold with the same convention.
  kNormalised,
};

/// The nearest atoms of each query, by cost and then by index.
struct Neighbours {
  SolveStatus status = SolveStatus::kDone;
  Matrix<std::size_t> rows;  ///< bank rows, nearest first
  Matrix<double> costs;      ///< their costs, in double
};

/// The k nearest atoms of every query, by comparing all costs in T; costs that
/// agree to the rounding of T may fall either way. `self` as in
/// EnergyModel::evaluate. Atoms of zero weight are passed over. Throws
/// InvalidArgument when fewer than k remain for some query.
template <typename T>
Neighbours nearest_atoms(const EnergyModel<T>& model,
                         MatrixView<const T> queries, std::size_t k,
                         std::span<const std::size_t> self = {},
                         const Context& context = {});

/// Energy of every query against its own k nearest atoms.
template <typename T>
[[nodiscard]] EnergyResult local_energies(
    const EnergyModel<T>& model, MatrixView<const T> queries, std::size_t k,
    LocalConvention convention, std::span<const std::size_t> self = {},
    const Context& context = {});

/// A lower bound on the cost from a point v to every atom that is not among an
/// anchor's neighbours, by the triangle inequality on chords: `outer_cost` is
/// the anchor's cost to its first omitted atom, `anchor_cost` = d(v, anchor).
double outer_cost_bound(GroundCost cost, double outer_cost, double anchor_cost);

/// The largest E_local(v) - E(v) (submeasure, uniform weights) when `omitted`
/// of n atoms all lie at `outer_cost` or farther and K_local(v) is known:
/// epsilon log(1 + omitted exp(-outer/epsilon) / (n K_local)).
double local_energy_error_bound(double epsilon, std::size_t n,
                                std::size_t omitted, double outer_cost,
                                double local_energy);

}  // namespace sbog
