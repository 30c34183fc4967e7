// SPDX-License-Identifier: Apache-2.0
// The fields of SamplerOptions, one by one; see options_json.h.
#include "paper/options_json.h"

#include <optional>

namespace sbog::paper {
Json options_json(const SamplerOptions& o) {
  Json json = {
      {"rule", to_string(o.rule)},
      {"cost", to_string(o.energy.cost)},
      {"epsilon", o.energy.epsilon},
      {"trim", o.trim},
      {"includes_self", o.includes_self},
      {"local", o.local},
      {"local_normalised", o.local_convention != LocalConvention::kSubmeasure},
      {"quantile", o.quantile},
      {"margin", o.margin},
      {"ceiling", number(o.ceiling)},
      {"splits_bank", o.certify},
      {"anchor_rule", to_string(o.anchor_rule)},
      {"anchors", o.anchor_count},
      {"anchor_share", o.anchor_share},
      {"pool_factor", o.pool_factor},
      {"regions", o.regions},
      {"has_anchor_quota", o.anchor_quota},
      {"sigma", o.sigma},
      {"proposals", o.proposal_count},
      {"max_rounds", o.max_rounds},
      {"projection", to_string(o.projection)},
      {"box_low", o.box_low},
      {"box_high", o.box_high},
      {"proposal_mode", to_string(o.proposal_mode)},
      {"semantic_floor", number(o.semantic_floor)},
      {"semantic_quantile", o.semantic_quantile},
      {"semantic_slack", number(o.semantic_slack)},
      {"has_semantic_test", o.semantic},
      {"seed_floor", o.seed_floor},
      {"seed_eligibility", o.seed_eligibility},
      {"allows_unsupported", o.allow_unsupported},
      {"pick", to_string(o.pick)},
      {"band", o.band},
      {"explore", o.explore},
      {"langevin_steps", o.langevin_steps},
      {"has_splitting", o.splitting},
      {"collects_all", o.collect_all},
      {"task_beta", o.task_beta},
      {"task_lambda", o.task_lambda},
      {"knn", o.knn},
      {"vos_draws", o.vos_draws},
      {"bood_step", o.bood_step},
      {"bood_max_steps", o.bood_max_steps},
      {"bood_extra_steps", o.bood_extra_steps},
      {"bood_share", o.bood_share},
      {"bood_temperature", o.bood_temperature}};
  // What most configurations have no word for is named where it is in force.
  if (o.auto_epsilon) json["epsilon"] = "auto";
  if (o.radius) json["radius"] = to_string(*o.radius);
  if (o.proposal_law != ProposalLaw::kIsotropic) {
    json["proposal_law"] = to_string(o.proposal_law);
  }
  return json;
}

Json options_difference(const SamplerOptions& options,
                        const SamplerOptions& base) {
  const Json all = options_json(options);
  const Json known = options_json(base);
  Json difference = Json::object();
  for (const auto& [field, value] : all.items()) {
    if (!known.contains(field) || value != known.at(field)) {
      difference[field] = value;
    }
  }
  for (const auto& [field, value] : known.items()) {
    if (!all.contains(field)) difference[field] = nullptr;
  }
  return difference;
}

}  // namespace sbog::paper
