// SPDX-License-Identifier: Apache-2.0
// What edits.json and metrics.json tell a person; see scenario_json.h.
#include <cmath>
#include <nlohmann/json.hpp>

#include "sbog/job/scenario_json.h"
#include "sbog/scenario/span_statistic.h"

namespace sbog::job {
namespace {

using series::RealisedEdit;
using series::Scenario;

// Beyond what can be told a period has no interval.
void add_period(const ReturnPeriod& period, nlohmann::ordered_json& j) {
  j["return_period_rows"] = period.rows;
  j["return_period_is_beyond"] = period.is_beyond;
  if (period.is_beyond) return;
  j["return_period_low"] = period.low;
  if (!std::isinf(period.high)) j["return_period_high"] = period.high;
}

// An edit for people: names, and only the numbers that its kind has.
nlohmann::ordered_json told_edit(const RealisedEdit& e,
                                 const std::vector<std::string>& channels) {
  using series::EditKind;
  nlohmann::ordered_json j;
  j["kind"] = to_string(e.edit.kind);
  j["channel"] = channels[e.edit.channel];
  if (has_partner(e.edit)) j["partner"] = channels[e.edit.partner];
  if (e.edit.kind == EditKind::kCoupling) {
    j["partner_sign"] = e.edit.partner_sign;
  }
  j["amount"] = e.edit.amount;
  j["start"] = e.edit.start;
  j["end"] = e.edit.end;
  if (e.edit.kind == EditKind::kOscillation) {
    j["period"] = e.edit.period;
    j["phase"] = e.edit.phase;
  }
  j["realised"] = {{"first_sample", e.effect.first},
                   {"last_sample", e.effect.last}};
  if (e.edit.kind == EditKind::kTrend) {
    j["realised"]["settled_sample"] = e.effect.settled;
  }
  const bool has_size =
      e.edit.kind == EditKind::kLevel || e.edit.kind == EditKind::kTrend ||
      e.edit.kind == EditKind::kOscillation || e.edit.kind == EditKind::kStuck;
  if (has_size) {
    j["realised"]["size"] = e.effect.size;
    j["realised"]["size_in_deviations"] = e.effect.size / e.deviation;
  } else {
    j["realised"]["factor"] = e.effect.factor;
  }
  j["share_of_move"] = e.share;
  if (e.rarity) {
    j["rated"] = {{"first_sample", e.rarity->first},
                  {"samples", e.rarity->length},
                  {"measure", to_string(series::measure_of(e.edit))},
                  {"statistic", e.rarity->statistic},
                  {"rarity", e.rarity->rarity.p},
                  {"is_estimate", e.rarity->rarity.is_estimate}};
    if (e.rarity->rarity.period) {
      add_period(*e.rarity->rarity.period, j["rated"]);
    }
  }
  return j;
}

nlohmann::ordered_json severities_json(const series::ScenarioDiagnostics& d) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [severity, count] : d.severities) {
    nlohmann::ordered_json entry;
    entry["severity"] = severity;
    entry["requested"] = count.asked;
    entry["kept"] = count.kept;
    if (d.has_energies) entry["outside"] = count.outside;
    entry["unreachable"] = count.unreachable;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json told_json(const Scenario& s,
                                 const std::vector<std::string>& channels) {
  nlohmann::ordered_json j;
  j["index"] = s.index;
  j["status"] = to_string(s.status);
  if (s.reason != series::MissReason::kNone) j["reason"] = to_string(s.reason);
  if (s.asked > 0) j["asked_severity"] = s.asked;
  if (s.grade) {
    j["severity"] = s.grade->severity;
    j["rarity"] = s.grade->p;
    if (s.grade->period) add_period(*s.grade->period, j);
  }
  j["sentence"] = s.sentence;
  j["alternatives"] = s.alternatives;
  j["edits"] = nlohmann::ordered_json::array();
  for (const RealisedEdit& edit : s.edits) {
    j["edits"].push_back(told_edit(edit, channels));
  }
  if (s.edits.empty()) {
    j["changes"] = nlohmann::ordered_json::array();
    for (const series::DrawnChange& change : s.changes) {
      j["changes"].push_back(
          {{"channel", channels[change.channel]},
           {"sample", change.sample},
           {"size", change.size},
           {"size_in_deviations", change.size / change.deviation}});
    }
  }
  j["anchor_window"] = s.anchor_window;
  j["anchor_row"] = s.anchor_start;
  j["tries"] = s.tries;
  j["misses"] = nlohmann::ordered_json::array();
  for (const series::MissReason reason : s.misses) {
    j["misses"].push_back(to_string(reason));
  }
  if (!s.source_point.empty()) {
    j["reached"] = s.reached;
    j["energy_source"] = s.energy_source;
    j["energy_target"] = s.energy_target;
    j["energy"] = s.energy;
  }
  j["source_point"] = s.source_point;
  j["target"] = s.target;
  if (s.second) {
    j["second_rank_source"] = s.second->source_rank;
    j["second_rank"] = s.second->rank;
  }
  return j;
}

nlohmann::ordered_json metrics_json(const series::ScenarioDiagnostics& d) {
  nlohmann::ordered_json j;
  j["law"] = to_string(d.law);
  j["kept"] = d.kept;
  j["mean_reached"] = d.mean_reached;
  j["mean_edits"] = d.mean_edits;
  j["mean_tries"] = d.mean_tries;
  j["statuses"] = d.statuses;
  j["misses"] = d.misses;
  j["kinds"] = d.kinds;
  j["channels"] = d.channels;
  j["unused_kinds"] = d.unused_kinds;
  j["unused_channels"] = d.unused_channels;
  if (d.has_energies) {
    j["threshold"] = d.threshold;
    j["share_outside"] = d.share_outside;
  }
  if (!d.severities.empty()) {
    j["severities"] = severities_json(d);
    j["drifting_channels"] = d.drifting;
    j["drift"] = {{"asked", 0.01}, {"observed", d.drift_observed}};
  }
  j["windows"] = d.windows;
  j["anchors"] = d.anchors;
  j["barren_anchors"] = d.barren_anchors;
  j["candidate_edits"] = d.library;
  j["median_linear_residual"] = d.median_linear_residual;
  j["wanted_direction_rank"] = d.wanted_rank;
  j["realised_direction_rank"] = d.realised_rank;
  return j;
}

}  // namespace sbog::job
