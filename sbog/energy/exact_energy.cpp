// SPDX-License-Identifier: Apache-2.0
// One pass over the atoms; see exact_energy.h.
#include "sbog/energy/exact_energy.h"

#include <algorithm>
#include <array>
#include <cmath>
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

}  // namespace

template <typename T>
double exact_energy(const EnergyModel<T>& model, std::span<const double> query,
                    std::size_t self) {
  if (query.size() != model.dim()) {
    throw InvalidArgument("query: dimension " + std::to_string(model.dim()) +
                          " of the bank is expected, got " +
                          std::to_string(query.size()));
  }
  const ReferenceMeasure<T>& measure = model.reference();
  const double norm = norm_of<double>(query);
  if (!std::isfinite(norm) || (is_cosine(model.cost()) && norm == 0.0)) {
    throw InvalidArgument(
        is_cosine(model.cost())
            ? "query: finite numbers, not all 0, are expected under cosine"
            : "query: finite numbers are expected");
  }
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
  return std::max(0.0, whole.energy(model.epsilon()));
}

template double exact_energy(const EnergyModel<float>&, std::span<const double>,
                             std::size_t);
template double exact_energy(const EnergyModel<double>&,
                             std::span<const double>, std::size_t);

}  // namespace sbog
