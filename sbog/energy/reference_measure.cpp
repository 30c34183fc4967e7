// SPDX-License-Identifier: Apache-2.0
// Checks at the border of the energy room.
#include "sbog/energy/reference_measure.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog/energy/detail/row_kernel.h"

namespace sbog {
namespace {

std::string at(const std::string& name, std::size_t row) {
  return name + ": row " + std::to_string(row);
}

template <typename T>
void check_row(std::span<const T> row, GroundCost cost, const std::string& name,
               std::size_t i) {
  const double norm2 = detail::squared_norm(row);
  // A finite sum of squares means finite values; look closer only otherwise.
  if (!std::isfinite(norm2)) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!std::isfinite(row[k])) {
        throw InvalidArgument(
            at(name, i) + ", column " + std::to_string(k) +
            (std::isnan(row[k]) ? " is NaN" : " is infinite") +
            "; finite values are expected");
      }
    }
  }
  if (norm2 > detail::kLargestSquare<T>) {
    throw InvalidArgument(at(name, i) + " is too large to be squared");
  }
  if (!is_cosine(cost)) return;
  if (norm2 < detail::kSmallestSquare<T>) {
    const bool is_zero = std::all_of(row.begin(), row.end(),
                                     [](T value) { return value == T(0); });
    throw InvalidArgument(at(name, i) +
                          (is_zero ? " is a zero vector, which has no cosine"
                                   : " is too small to be normalised"));
  }
  if (cost == GroundCost::kUnitCosine && std::abs(norm2 - 1.0) > 1e-4) {
    throw InvalidArgument(at(name, i) + " has length " +
                          std::to_string(std::sqrt(norm2)) +
                          "; unit vectors are expected by unit-cosine");
  }
}

}  // namespace

template <typename T>
void check_points(MatrixView<const T> points, GroundCost cost,
                  const std::string& name) {
  if (points.is_empty()) {
    throw InvalidArgument(name + ": no values, got " +
                          std::to_string(points.rows()) + " rows and " +
                          std::to_string(points.cols()) + " columns");
  }
  for (std::size_t i = 0; i < points.rows(); ++i) {
    check_row<T>(points.row(i), cost, name, i);
  }
}

template <typename T>
void check_measure(const ReferenceMeasure<T>& measure) {
  const std::size_t rows = measure.points.rows();
  if (!measure.weights.empty() && measure.weights.size() != rows) {
    throw InvalidArgument("weights: one per bank row is expected (" +
                          std::to_string(rows) + "), got " +
                          std::to_string(measure.weights.size()));
  }
  for (std::size_t i = 0; i < measure.weights.size(); ++i) {
    const double weight = measure.weights[i];
    if (!std::isfinite(weight) || weight < 0.0) {
      throw InvalidArgument("weights: entry " + std::to_string(i) + " is " +
                            std::to_string(weight) +
                            "; finite and non-negative is expected");
    }
  }
  std::vector<bool> is_taken(measure.atoms.empty() ? 0 : rows);
  for (const std::size_t atom : measure.atoms) {
    if (atom >= rows || is_taken[atom]) {
      throw InvalidArgument(
          "atoms: index " + std::to_string(atom) +
          (atom >= rows ? " is not a row of the bank" : " is given twice"));
    }
    is_taken[atom] = true;
  }
  double mass = 0.0;
  for (std::size_t i = 0; i < measure.atom_count(); ++i) {
    mass += measure.weight_of(i);
  }
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    throw InvalidArgument("weights: a positive finite total is expected, got " +
                          std::to_string(mass));
  }
}

template <typename T>
std::vector<std::size_t> positions_of_points(
    const ReferenceMeasure<T>& measure) {
  std::vector<std::size_t> positions(measure.points.rows(), kNoAtom);
  for (std::size_t i = 0; i < measure.atom_count(); ++i) {
    positions[measure.point_of(i)] = i;
  }
  return positions;
}

template void check_points(MatrixView<const float>, GroundCost,
                           const std::string&);
template void check_points(MatrixView<const double>, GroundCost,
                           const std::string&);
template void check_measure(const ReferenceMeasure<float>&);
template void check_measure(const ReferenceMeasure<double>&);
template std::vector<std::size_t> positions_of_points(
    const ReferenceMeasure<float>&);
template std::vector<std::size_t> positions_of_points(
    const ReferenceMeasure<double>&);

}  // namespace sbog
