// SPDX-License-Identifier: Apache-2.0
// The in-distribution measure nu = sum_i nu_i delta(z_i): points, optional
// weights and an optional choice of atoms, all borrowed from the caller.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/energy/ground_cost.h"

namespace sbog {

/// "No atom": a query that is not a bank point.
inline constexpr std::size_t kNoAtom = std::numeric_limits<std::size_t>::max();

/// Views only; the caller keeps the memory alive as long as the measure is
/// used. Always used normalised: weights need not add up to 1.
template <typename T>
struct ReferenceMeasure {
  /// One point per row.
  MatrixView<const T> points;
  /// One non-negative weight per point; empty means uniform.
  std::span<const double> weights;
  /// Rows that are atoms, in order; empty means all rows.
  std::span<const std::size_t> atoms;

  std::size_t atom_count() const {
    return atoms.empty() ? points.rows() : atoms.size();
  }
  std::size_t point_of(std::size_t atom) const {
    return atoms.empty() ? atom : atoms[atom];
  }
  double weight_of(std::size_t atom) const {
    return weights.empty() ? 1.0 : weights[point_of(atom)];
  }
};

/// Throws InvalidArgument, naming row and column, unless all values are finite
/// and their squares stay in the range of T, no row is zero under a cosine cost
/// and every row has unit length under unit-cosine. `name` begins the message.
template <typename T>
void check_points(MatrixView<const T> points, GroundCost cost,
                  const std::string& name);

/// Throws InvalidArgument unless the weights are finite, non-negative, one per
/// point and positive in total over the atoms, and the atoms are rows.
template <typename T>
void check_measure(const ReferenceMeasure<T>& measure);

/// For each point its position among the atoms, or kNoAtom.
template <typename T>
std::vector<std::size_t> positions_of_points(
    const ReferenceMeasure<T>& measure);

}  // namespace sbog
