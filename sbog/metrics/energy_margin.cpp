// SPDX-License-Identifier: Apache-2.0
// Means, medians and shares of margins; see energy_margin.h.
#include "sbog/metrics/energy_margin.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/labels.h"
#include "sbog/energy/threshold.h"
#include "sbog/metrics/detail/points.h"

namespace sbog {
namespace {

std::optional<double> median_size(const std::vector<double>& margins) {
  if (margins.empty()) return std::nullopt;
  std::vector<double> sizes;
  sizes.reserve(margins.size());
  for (const double margin : margins) sizes.push_back(std::abs(margin));
  return quantile(sizes, 0.5);
}

template <typename Values, typename Holds>
std::optional<double> share(const Values& values, const Holds& holds) {
  if (values.empty()) return std::nullopt;
  return static_cast<double>(
             std::count_if(values.begin(), values.end(), holds)) /
         static_cast<double>(values.size());
}

}  // namespace

std::vector<double> query_thresholds(
    const ScoreResult& scored, std::span<const std::int64_t> query_labels) {
  if (scored.classes.empty()) {
    throw InvalidArgument("scored: at least one threshold is expected");
  }
  const double single = scored.classes[0].threshold.value;
  if (query_labels.empty()) {
    return std::vector<double>(scored.energies.size(), single);
  }
  check_label_count(query_labels, scored.energies.size(), "query labels");
  std::map<std::int64_t, double> threshold_of;
  for (const ClassScore& score : scored.classes) {
    threshold_of[score.label] = score.threshold.value;
  }
  std::vector<double> thresholds;
  thresholds.reserve(query_labels.size());
  for (const std::int64_t label : query_labels) {
    const auto found = threshold_of.find(label);
    if (found == threshold_of.end()) {
      throw InvalidArgument("query labels: class " + std::to_string(label) +
                            " has no threshold");
    }
    thresholds.push_back(found->second);
  }
  return thresholds;
}

std::vector<double> energy_margins(std::span<const double> energies,
                                   std::span<const double> thresholds) {
  if (energies.size() != thresholds.size()) {
    throw InvalidArgument("thresholds: one per energy is expected (" +
                          std::to_string(energies.size()) + "), got " +
                          std::to_string(thresholds.size()));
  }
  std::vector<double> margins;
  margins.reserve(energies.size());
  for (std::size_t i = 0; i < energies.size(); ++i) {
    margins.push_back(energies[i] - thresholds[i]);
  }
  return margins;
}

std::optional<double> energy_gap(std::span<const double> margins) {
  if (margins.empty()) return std::nullopt;
  return std::accumulate(margins.begin(), margins.end(), 0.0) /
         static_cast<double>(margins.size());
}

std::optional<double> accepted_share(std::span<const double> margins) {
  return share(margins, [](double margin) { return margin >= 0.0; });
}

BoundaryDistance boundary_distance(std::span<const double> margins) {
  const std::vector<double> all(margins.begin(), margins.end());
  std::vector<double> accepted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(accepted),
               [](double margin) { return margin >= 0.0; });
  return {median_size(all), median_size(accepted)};
}

std::optional<double> fill_rate(std::span<const std::size_t> feasible_counts) {
  return share(feasible_counts, [](std::size_t count) { return count > 0; });
}

std::optional<Yield> perturbation_yield(std::span<const double> energies,
                                        std::span<const double> cosines,
                                        double cosine_floor) {
  if (energies.size() != cosines.size()) {
    throw InvalidArgument("cosines: one per energy is expected (" +
                          std::to_string(energies.size()) + "), got " +
                          std::to_string(cosines.size()));
  }
  if (energies.empty()) return std::nullopt;
  double sum = 0.0;
  std::size_t passing = 0;
  for (std::size_t i = 0; i < energies.size(); ++i) {
    if (!(cosines[i] >= cosine_floor)) continue;
    sum += energies[i];
    ++passing;
  }
  Yield result;
  if (passing == 0) return result;
  result.pass =
      static_cast<double>(passing) / static_cast<double>(energies.size());
  result.mean_energy = sum / static_cast<double>(passing);
  result.value = result.pass * result.mean_energy;
  return result;
}

}  // namespace sbog
