// SPDX-License-Identifier: Apache-2.0
// One pass over the atoms; see exact_energy.h.
#include "sbog/energy/exact_energy.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

constexpr std::size_t kSums = 8;

// Partial sums side by side: fast, and always in the same order.
template <class Term>
double sum_of(std::size_t count, const Term& term) {
  double sums[kSums] = {};
  const std::size_t whole = count / kSums * kSums;
  for (std::size_t k = 0; k < whole; k += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) sums[s] += term(k + s);
  }
  for (std::size_t k = whole; k < count; ++k) sums[k - whole] += term(k);
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

template <typename T>
double cost_to(const EnergyModel<T>& model, std::span<const double> z,
               double norm_z, std::span<const T> u) {
  const auto at = [&](std::size_t k) { return static_cast<double>(u[k]); };
  switch (model.cost()) {
    case GroundCost::kCosine: {
      const double uu =
          sum_of(z.size(), [&](std::size_t k) { return at(k) * at(k); });
      const double zu =
          sum_of(z.size(), [&](std::size_t k) { return z[k] * at(k); });
      return std::max(0.0, 1.0 - zu / (norm_z * std::sqrt(uu)));
    }
    case GroundCost::kUnitCosine:
      return std::max(0.0, 1.0 - sum_of(z.size(), [&](std::size_t k) {
                             return z[k] * at(k);
                           }));
    case GroundCost::kSquaredEuclidean:
    case GroundCost::kEuclidean: {
      const double squared = sum_of(z.size(), [&](std::size_t k) {
        return (z[k] - at(k)) * (z[k] - at(k));
      });
      return is_rooted(model.cost()) ? std::sqrt(squared) : squared;
    }
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
  const double norm = std::sqrt(
      sum_of(query.size(), [&](std::size_t k) { return query[k] * query[k]; }));
  if (!std::isfinite(norm) || (is_cosine(model.cost()) && norm == 0.0)) {
    throw InvalidArgument(
        is_cosine(model.cost())
            ? "query: finite numbers, not all 0, are expected under cosine"
            : "query: finite numbers are expected");
  }
  LogSumExp whole;
  for (std::size_t first = 0; first < measure.atom_count();
       first += kBlockAtoms) {
    LogSumExp block;
    const std::size_t last =
        std::min(first + kBlockAtoms, measure.atom_count());
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t row = measure.point_of(i);
      const double weight = measure.weight_of(i);
      if (row == self || weight == 0.0) continue;
      const double cost =
          cost_to<T>(model, query, norm, measure.points.row(row));
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
