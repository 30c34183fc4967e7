// SPDX-License-Identifier: Apache-2.0
// See measures.h.
#include "sbog/stress/measures.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sbog::stress {
namespace {

// The type-7 quantile, as everywhere in sbog.
double quantile_of(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  const double at = level * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(at));
  const std::size_t high = std::min(low + 1, values.size() - 1);
  // Equal ends first: the difference of two infinities is no number.
  if (values[low] == values[high]) return values[low];
  return values[low] +
         (at - static_cast<double>(low)) * (values[high] - values[low]);
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

std::vector<std::size_t> common(const std::vector<std::size_t>& a,
                                const std::vector<std::size_t>& b) {
  std::vector<std::size_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::back_inserter(both));
  return both;
}

}  // namespace

Share make_share(std::uint64_t hits, std::uint64_t trials) {
  Share share{hits, trials, 0.0, clopper_pearson(hits, trials)};
  if (trials > 0) {
    share.value = static_cast<double>(hits) / static_cast<double>(trials);
  }
  return share;
}

Measures measure(const Outcomes& outcomes, std::span<const std::size_t> cases) {
  std::uint64_t failures = 0;
  std::uint64_t accepted = 0;
  std::uint64_t others = 0;
  std::vector<double> values;
  std::vector<double> delays;
  for (const std::size_t i : cases) {
    const CaseOutcome& outcome = outcomes.cases[i];
    failures += outcome.is_failure ? 1 : 0;
    accepted += outcome.value >= outcomes.threshold ? 1 : 0;
    others += outcome.is_other ? 1 : 0;
    values.push_back(outcome.value);
    if (outcome.delay) delays.push_back(static_cast<double>(*outcome.delay));
  }
  Measures m;
  m.failures = make_share(failures, cases.size());
  if (outcomes.task == Task::kClassifier) {
    m.accepted = make_share(accepted, cases.size());
    if (outcomes.knows_classes) m.other = make_share(others, cases.size());
  }
  if (!values.empty()) {
    m.mean = mean_of(values);
    m.quantile95 = quantile_of(values, 0.95);
  }
  if (!delays.empty()) m.median_delay = quantile_of(delays, 0.5);
  return m;
}

std::vector<GroupMeasures> measure_groups(const Cases& cases,
                                          const Outcomes& outcomes) {
  std::vector<int> severities = severities_of(cases);
  if (severities.size() < 2) severities.clear();
  std::vector<std::vector<std::size_t>> at;
  at.reserve(severities.size());
  for (const int severity : severities) at.push_back(cases_at(cases, severity));
  std::vector<GroupMeasures> groups;
  for (const Grouping& grouping : cases.groupings) {
    for (std::size_t l = 0; l < grouping.levels.size(); ++l) {
      const std::vector<std::size_t>& members = grouping.members[l];
      const auto add = [&](std::optional<int> severity,
                           std::vector<std::size_t> items) {
        const Measures measures = measure(outcomes, items);
        groups.push_back({grouping.name, grouping.levels[l], severity,
                          std::move(items), measures});
      };
      add(std::nullopt, members);
      for (std::size_t s = 0; s < severities.size(); ++s) {
        std::vector<std::size_t> items = common(members, at[s]);
        if (!items.empty()) add(severities[s], std::move(items));
      }
    }
  }
  return groups;
}

std::vector<GroupMeasures> measure_severities(const Cases& cases,
                                              const Outcomes& outcomes) {
  std::vector<GroupMeasures> curve;
  for (const int severity : severities_of(cases)) {
    std::vector<std::size_t> items = cases_at(cases, severity);
    const Measures measures = measure(outcomes, items);
    curve.push_back({"", "", severity, std::move(items), measures});
  }
  return curve;
}

std::optional<int> smallest_passed(const std::vector<GroupMeasures>& curve,
                                   double share) {
  for (const GroupMeasures& group : curve) {
    if (1.0 - group.measures.failures.value >= share) return group.severity;
  }
  return std::nullopt;
}

std::optional<int> smallest_below(const std::vector<GroupMeasures>& curve,
                                  double share) {
  for (const GroupMeasures& group : curve) {
    if (group.measures.failures.value < share) return group.severity;
  }
  return std::nullopt;
}

}  // namespace sbog::stress
