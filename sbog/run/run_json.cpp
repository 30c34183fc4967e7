// SPDX-License-Identifier: Apache-2.0
// See run_json.h.
#include "sbog/run/run_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace sbog {

nlohmann::json class_json(const ClassReport& report) {
  FailureCounts failures;
  std::uint64_t draws = 0;
  std::uint64_t successes = 0;
  nlohmann::json anchors = nlohmann::json::array();
  for (std::size_t a = 0; a < report.tallies.size(); ++a) {
    const AnchorTally& tally = report.tallies[a];
    failures.add(tally.failures);
    draws += tally.draws;
    successes += tally.successes;
    if (tally.draws == 0) continue;
    anchors.push_back({{"row", report.anchor_rows[a]},
                       {"score", report.anchor_scores[a]},
                       {"draws", tally.draws},
                       {"successes", tally.successes},
                       {"highest_score", tally.highest_score},
                       {"failing_energy", tally.failures.energy},
                       {"failing_semantic", tally.failures.semantic},
                       {"failing_seed", tally.failures.seed}});
  }
  std::vector<std::size_t> rounds = report.rounds;
  while (!rounds.empty() && rounds.back() == 0) rounds.pop_back();
  return {{"label", report.label},
          {"anchor_count", report.tallies.size()},
          {"requested", report.requested},
          {"produced", report.produced},
          {"status", to_string(report.status)},
          {"binding", to_string(report.binding)},
          {"epsilon", report.plan.epsilon},
          {"radius", {report.plan.radius_low, report.plan.radius_high}},
          {"threshold", report.plan.threshold},
          {"quantile_value", report.plan.quantile_value},
          {"semantic_floor", report.plan.semantic_floor},
          {"seed_eligibility", report.plan.seed_eligibility},
          {"eligibility_lowered", report.plan.is_eligibility_lowered},
          {"points", report.plan.point_count},
          {"reference", report.plan.reference_count},
          {"subspace", report.plan.uses_subspace},
          {"preflight_infeasible", report.plan.is_infeasible},
          {"highest_reachable", report.plan.highest_reachable},
          {"rounds", rounds},
          {"round_draws", draws},
          {"round_successes", successes},
          {"proposals", failures.proposals},
          {"failing_energy", failures.energy},
          {"failing_semantic", failures.semantic},
          {"failing_seed", failures.seed},
          {"fill_anchors", report.fill_anchors},
          {"acceptance", report.acceptance},
          {"acceptance_interval",
           {report.acceptance_interval.low, report.acceptance_interval.high}},
          {"anchors", anchors}};
}

nlohmann::ordered_json finite_or_null(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

nlohmann::ordered_json number_or_word(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return nullptr;
  return value > 0 ? "inf" : "-inf";
}

}  // namespace sbog
