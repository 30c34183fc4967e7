// SPDX-License-Identifier: Apache-2.0
// Nearest neighbours through the fused kernels; see nearest_bank.h.
#include "sbog/metrics/nearest_bank.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/energy/local_reference.h"
#include "sbog/energy/score_bank.h"
#include "sbog/energy/threshold.h"
#include "sbog/metrics/detail/points.h"
#include "sbog/metrics/detail/streams.h"

namespace sbog {
namespace {

/// Neighbours compared again in double.
constexpr std::size_t kCandidates = 4;

template <typename T>
std::size_t count_positive(const ReferenceMeasure<T>& bank) {
  std::size_t count = 0;
  for (std::size_t atom = 0; atom < bank.atom_count(); ++atom) {
    if (bank.weight_of(atom) > 0.0) ++count;
  }
  return count;
}

// Bank rows to search: per_class atoms of positive weight of each class.
template <typename T>
std::vector<std::size_t> balanced_rows(const ReferenceMeasure<T>& bank,
                                       std::span<const std::int64_t> labels,
                                       const PurityOptions& options) {
  RowsByLabel members;
  for (std::size_t atom = 0; atom < bank.atom_count(); ++atom) {
    const std::size_t row = bank.point_of(atom);
    if (bank.weight_of(atom) > 0.0) members[labels[row]].push_back(row);
  }
  std::vector<std::size_t> drawn;
  std::uint32_t purpose = detail::kPurityPurpose;
  for (const auto& [label, rows] : members) {
    for (const std::size_t position :
         draw_subset(rows.size(), options.per_class, options.seed, purpose)) {
      drawn.push_back(rows[position]);
    }
    ++purpose;
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

template <typename T>
NearestBank nearest_bank(const ReferenceMeasure<T>& bank,
                         MatrixView<const T> points,
                         const EnergyOptions& energy, const Context& context) {
  EnergyOptions options = energy;
  options.epsilon = 1.0;  // neighbours do not depend on it
  const EnergyModel<T> model(bank, options);
  Neighbours found = nearest_atoms(
      model, points, std::min(kCandidates, count_positive(bank)), {}, context);
  NearestBank result;
  result.status = found.status;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    result.rows.push_back(found.rows(i, 0));
    result.costs.push_back(found.costs(i, 0));
  }
  return result;
}

std::optional<CostSummary> summarise_costs(std::span<const double> costs) {
  if (costs.empty()) return std::nullopt;
  const std::vector<double> levels = {0.0, 0.5, 1.0};
  const std::vector<double> values = quantiles(costs, levels);
  const double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
  return CostSummary{values[0], values[1],
                     sum / static_cast<double>(costs.size()), values[2]};
}

std::optional<double> neighbour_fidelity(
    std::span<const std::size_t> nearest_rows,
    std::span<const std::int64_t> labels,
    std::span<const std::int64_t> source_classes) {
  check_label_count(source_classes, nearest_rows.size(), "source classes");
  if (nearest_rows.empty()) return std::nullopt;
  std::size_t same = 0;
  for (std::size_t i = 0; i < nearest_rows.size(); ++i) {
    if (nearest_rows[i] >= labels.size()) {
      throw InvalidArgument("labels: one per bank row is expected, row " +
                            std::to_string(nearest_rows[i]) + " has none");
    }
    if (labels[nearest_rows[i]] == source_classes[i]) ++same;
  }
  return static_cast<double>(same) / static_cast<double>(nearest_rows.size());
}

template <typename T>
PurityResult class_purity(const ReferenceMeasure<T>& bank,
                          std::span<const std::int64_t> labels,
                          MatrixView<const T> points,
                          std::span<const std::int64_t> source_classes,
                          const EnergyOptions& energy,
                          const PurityOptions& options,
                          const Context& context) {
  check_measure(bank);
  check_label_count(labels, bank.points.rows(), "labels");
  check_label_count(source_classes, points.rows(), "source classes");
  if (options.per_class == 0) {
    throw InvalidArgument("per class: at least one bank point is expected");
  }
  const std::vector<std::size_t> rows = balanced_rows(bank, labels, options);
  const ReferenceMeasure<T> drawn{bank.points, {}, rows};
  const NearestBank nearest = nearest_bank(drawn, points, energy, context);
  PurityResult result;
  result.status = nearest.status;
  if (result.status != SolveStatus::kDone) return result;
  for (const auto& [label, members] : rows_by_label(source_classes)) {
    const auto same = std::count_if(members.begin(), members.end(),
                                    [&, own = label](std::size_t i) {
                                      return labels[nearest.rows[i]] == own;
                                    });
    const double value =
        static_cast<double>(same) / static_cast<double>(members.size());
    result.classes.push_back({label, members.size(), value});
    result.mean += value;
  }
  result.mean /= static_cast<double>(result.classes.size());
  return result;
}

template NearestBank nearest_bank(const ReferenceMeasure<float>&,
                                  MatrixView<const float>, const EnergyOptions&,
                                  const Context&);
template NearestBank nearest_bank(const ReferenceMeasure<double>&,
                                  MatrixView<const double>,
                                  const EnergyOptions&, const Context&);
template PurityResult class_purity(const ReferenceMeasure<float>&,
                                   std::span<const std::int64_t>,
                                   MatrixView<const float>,
                                   std::span<const std::int64_t>,
                                   const EnergyOptions&, const PurityOptions&,
                                   const Context&);
template PurityResult class_purity(const ReferenceMeasure<double>&,
                                   std::span<const std::int64_t>,
                                   MatrixView<const double>,
                                   std::span<const std::int64_t>,
                                   const EnergyOptions&, const PurityOptions&,
                                   const Context&);

}  // namespace sbog
