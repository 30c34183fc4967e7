// SPDX-License-Identifier: Apache-2.0
// See coverage_plan.h.
#include "sbog/certify/coverage_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbog/base/binomial.h"
#include "sbog/certify/detail/checks.h"
#include "sbog/certify/detail/words.h"

namespace sbog {
namespace {

void check_setting(std::span<const std::uint64_t> counts,
                   const CoverageSetting& setting) {
  detail::need(!counts.empty(), "coverage: at least one region is expected");
  detail::need(setting.pilot >= 1, "pilot: at least 1 output is expected");
  detail::need(setting.outputs >= 1, "outputs: at least 1 is expected");
  detail::check_failure(setting.delta);
  detail::check_failure(setting.pilot_delta, "pilot delta");
  detail::need(setting.zeta >= 0.0 && setting.zeta < 1.0,
               "zeta: a number in [0, 1) is expected");
}

// sum_l (1 - q_l)^N.
double missed(const std::vector<double>& q, double outputs) {
  double sum = 0.0;
  for (const double value : q) sum += std::exp(outputs * std::log1p(-value));
  return sum;
}

double smallest_outputs(const std::vector<double>& q, double delta,
                        double enough) {
  double low = 0.0;
  double high = std::ceil(enough);
  while (high - low > 1.0) {
    const double middle = std::floor(0.5 * (low + high));
    if (middle <= low || middle >= high) break;  // beyond 2^53
    (missed(q, middle) <= delta ? high : low) = middle;
  }
  return high;
}

}  // namespace

CoveragePlan plan_coverage(std::span<const std::uint64_t> counts,
                           const CoverageSetting& setting) {
  check_setting(counts, setting);
  const auto regions = static_cast<double>(counts.size());
  // The interval is two-sided; its lower end alone fails half as often.
  const double level =
      1.0 - 2.0 * std::min(0.5 - 1e-12, setting.pilot_delta / regions);
  CoveragePlan plan;
  std::vector<double> q;
  for (std::size_t l = 0; l < counts.size(); ++l) {
    const double low = clopper_pearson(counts[l], setting.pilot, level).low;
    plan.lower_bounds.push_back(low);
    if (counts[l] == 0) plan.empty_regions.push_back(l);
    q.push_back(std::max(0.0, low - setting.zeta));
  }
  plan.smallest = *std::min_element(q.begin(), q.end());
  if (plan.smallest > 0.0) {
    const auto outputs = static_cast<double>(setting.outputs);
    plan.is_vacuous = false;
    plan.needed = std::log(regions / setting.delta) / plan.smallest;
    plan.needed_sharp = smallest_outputs(q, setting.delta, plan.needed);
    plan.probability =
        std::max(0.0, 1.0 - regions * std::exp(-outputs * plan.smallest));
    plan.probability_sharp = std::max(0.0, 1.0 - missed(q, outputs));
    return plan;
  }
  plan.needed = std::numeric_limits<double>::infinity();
  plan.needed_sharp = plan.needed;
  plan.reason =
      plan.empty_regions.empty()
          ? "Vacuous: the least likely region may have a probability of " +
                detail::rounded(*std::min_element(plan.lower_bounds.begin(),
                                                  plan.lower_bounds.end())) +
                ", which is no more than zeta, " +
                detail::rounded(setting.zeta) + "."
          : "Vacuous: " +
                detail::grouped(
                    static_cast<double>(plan.empty_regions.size())) +
                " of " + detail::grouped(regions) +
                " regions were not hit by the pilot, so nothing bounds their "
                "probability from below.";
  return plan;
}

}  // namespace sbog
