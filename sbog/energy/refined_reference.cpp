// SPDX-License-Identifier: Apache-2.0
// Trimming and rescoring; see refined_reference.h.
#include "sbog/energy/refined_reference.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace {

// Bank rows of the atoms, in order.
template <typename T>
std::vector<std::size_t> rows_of(const ReferenceMeasure<T>& measure) {
  std::vector<std::size_t> rows(measure.atom_count());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = measure.point_of(i);
  return rows;
}

// Energies of `rows` against the atoms of `measure`.
template <typename T>
EnergyResult score_rows(const ReferenceMeasure<T>& measure,
                        const std::vector<std::size_t>& rows,
                        const EnergyOptions& energy, bool includes_self,
                        const Context& context) {
  const EnergyModel<T> model(measure, energy);
  // Rows are distinct: as many as the bank and increasing means all, in order.
  const bool is_whole_bank = rows.size() == measure.points.rows() &&
                             std::is_sorted(rows.begin(), rows.end());
  Matrix<T> gathered;
  if (!is_whole_bank) gathered = copy_rows<T>(measure.points, rows);
  std::vector<std::size_t> self;
  if (!includes_self) self = rows;
  return model.evaluate(
      is_whole_bank ? measure.points : std::as_const(gathered).view(), self,
      context);
}

std::vector<std::size_t> keep_lowest(const std::vector<std::size_t>& rows,
                                     const std::vector<double>& energies,
                                     std::size_t dropped) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return energies[a] != energies[b] ? energies[a] > energies[b]
                                      : rows[a] < rows[b];
  });
  std::vector<std::size_t> kept;
  kept.reserve(rows.size() - dropped);
  for (std::size_t i = dropped; i < order.size(); ++i) {
    kept.push_back(rows[order[i]]);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

template <typename T>
RefinedReference refine_reference(const ReferenceMeasure<T>& measure,
                                  const EnergyOptions& energy,
                                  const RefineOptions& options,
                                  const Context& context) {
  if (!(options.trim >= 0.0 && options.trim < 1.0)) {
    throw InvalidArgument("trim: a share in [0, 1) is expected, got " +
                          std::to_string(options.trim));
  }
  const std::vector<std::size_t> rows = rows_of(measure);
  RefinedReference result;
  EnergyResult scored =
      score_rows(measure, rows, energy, options.includes_self, context);
  result.status = scored.status;
  result.energies = std::move(scored.energies);
  result.kept = rows;
  std::sort(result.kept.begin(), result.kept.end());
  // A hair above the product counts as the product: 0.08 * 100 is 8.
  // One atom always stays.
  const auto dropped = std::min(
      rows.size() - 1,
      static_cast<std::size_t>(
          std::floor(options.trim * static_cast<double>(rows.size()) + 1e-9)));
  if (dropped == 0) {
    result.is_stable = true;
    return result;
  }
  while (result.status == SolveStatus::kDone &&
         result.rounds < options.rounds) {
    std::vector<std::size_t> kept = keep_lowest(rows, result.energies, dropped);
    result.is_stable = kept == result.kept;
    if (result.is_stable) break;
    result.kept = std::move(kept);
    ReferenceMeasure<T> trimmed = measure;
    trimmed.atoms = result.kept;
    scored = score_rows(trimmed, rows, energy, options.includes_self, context);
    result.status = scored.status;
    result.energies = std::move(scored.energies);
    ++result.rounds;
  }
  return result;
}

template RefinedReference refine_reference(const ReferenceMeasure<float>&,
                                           const EnergyOptions&,
                                           const RefineOptions&,
                                           const Context&);
template RefinedReference refine_reference(const ReferenceMeasure<double>&,
                                           const EnergyOptions&,
                                           const RefineOptions&,
                                           const Context&);

}  // namespace sbog
