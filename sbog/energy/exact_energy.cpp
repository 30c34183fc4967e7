// SPDX-License-Identifier: Apache-2.0
// One pass over the atoms; see exact_energy.h.
#include "sbog/energy/exact_energy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/energy/detail/prepared_reference.h"
#include "sbog/energy/detail/row_kernel.h"

namespace sbog {
namespace {

template <typename T>
double cost_to(const EnergyModel<T>& model, std::span<const double> z,
               double norm_z, std::span<const T> u) {
  switch (model.cost()) {
    case GroundCost::kCosine:
      return std::max(
          0.0, 1.0 - inner_product<double, T>(z, u) / (norm_z * norm_of<T>(u)));
    case GroundCost::kUnitCosine:
      return std::max(0.0, 1.0 - inner_product<double, T>(z, u));
    case GroundCost::kSquaredEuclidean:
      return squared_distance<double, T>(z, u);
    case GroundCost::kEuclidean:
      return std::sqrt(squared_distance<double, T>(z, u));
    default:
      return pair_cost(model.cost(), z, std::vector<double>(u.begin(), u.end()),
                       model.metric_factor());
  }
}

// The length of the query; throws for queries that have no energy.
template <typename T>
double checked_norm(const EnergyModel<T>& model,
                    std::span<const double> query) {
  if (query.size() != model.dim()) {
    throw InvalidArgument("query: dimension " + std::to_string(model.dim()) +
                          " of the bank is expected, got " +
                          std::to_string(query.size()));
  }
  const double norm = norm_of<double>(query);
  const bool is_fine = is_cosine(model.cost())
                           ? std::isfinite(norm)
                           : std::ranges::all_of(query, [](double x) {
                               return std::isfinite(x);
                             });
  if (!is_fine || (is_cosine(model.cost()) && norm == 0.0)) {
    throw InvalidArgument(
        is_cosine(model.cost())
            ? "query: finite numbers, not all 0, are expected under cosine"
            : "query: finite numbers are expected");
  }
  return norm;
}

// Calls body(cost, weight) for every atom but `self` that has weight.
template <typename T, typename Body>
void for_costs(const EnergyModel<T>& model, std::span<const double> query,
               double norm, std::size_t self, const Body& body) {
  const ReferenceMeasure<T>& measure = model.reference();
  for (std::size_t i = 0; i < measure.atom_count(); ++i) {
    const std::size_t row = measure.point_of(i);
    const double weight = measure.weight_of(i);
    if (row == self || weight == 0.0) continue;
    body(cost_to<T>(model, query, norm, measure.points.row(row)), weight);
  }
}

}  // namespace

template <typename T>
double careful_energy(const EnergyModel<T>& model,
                      std::span<const double> query, std::size_t self) {
  const double norm = checked_norm(model, query);
  double least = std::numeric_limits<double>::infinity();
  double mass = 0.0;
  for_costs(model, query, norm, self, [&](double cost, double weight) {
    if (!std::isfinite(cost)) {
      throw InvalidArgument(
          "energy: a cost is beyond the numbers that double has; divide bank "
          "and queries by a constant");
    }
    least = std::min(least, cost);
    mass += weight;
  });
  if (mass == 0.0) return least;
  double sum = 0.0;
  for_costs(model, query, norm, self, [&](double cost, double weight) {
    sum += weight * std::expm1((least - cost) / model.epsilon());
  });
  return std::max(0.0, least - model.epsilon() * std::log1p(sum / mass));
}

template <typename T>
double exact_energy(const EnergyModel<T>& model, std::span<const double> query,
                    std::size_t self) {
  const double norm = checked_norm(model, query);
  const ReferenceMeasure<T>& measure = model.reference();
  // Unit cosines are inner products as they are.
  const double query_length = model.cost() == GroundCost::kCosine ? norm : 1.0;
  std::array<double, kBlockAtoms> dots;
  LogSumExp whole;
  for (std::size_t first = 0; first < measure.atom_count();
       first += kBlockAtoms) {
    LogSumExp block;
    const std::size_t last =
        std::min(first + kBlockAtoms, measure.atom_count());
    // Rows that lie together are multiplied together.
    const bool has_dots = is_cosine(model.cost()) && measure.atoms.empty();
    if (has_dots) {
      detail::row_dots(measure.points.subrows(first, last - first), query,
                       dots);
    }
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t row = measure.point_of(i);
      const double weight = measure.weight_of(i);
      if (row == self || weight == 0.0) continue;
      const double cost =
          has_dots
              ? std::max(0.0,
                         1.0 - dots[i - first] *
                                   detail::prepared_of(model).inverse_norm(i) /
                                   query_length)
              : cost_to<T>(model, query, norm, measure.points.row(row));
      block.add(std::log(weight) - cost / model.epsilon(), weight);
    }
    whole.merge(block);
  }
  const double energy = std::max(0.0, whole.energy(model.epsilon()));
  return needs_care(energy, model.epsilon())
             ? careful_energy(model, query, self)
             : energy;
}

template double careful_energy(const EnergyModel<float>&,
                               std::span<const double>, std::size_t);
template double careful_energy(const EnergyModel<double>&,
                               std::span<const double>, std::size_t);
template double exact_energy(const EnergyModel<float>&, std::span<const double>,
                             std::size_t);
template double exact_energy(const EnergyModel<double>&,
                             std::span<const double>, std::size_t);

}  // namespace sbog
