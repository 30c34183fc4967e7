// SPDX-License-Identifier: Apache-2.0
// The result of a stress test as JSON; see stress.h.
#include <nlohmann/json.hpp>

#include "sbog/base/build_info.h"
#include "sbog/job/stress.h"
#include "sbog/job/stress_files.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json number_or_null(const std::optional<double>& value) {
  return value ? number_or_word(*value) : Json(nullptr);
}

Json share_json(const stress::Share& share) {
  return {{"count", share.hits},
          {"of", share.trials},
          {"share", share.value},
          {"low", share.interval.low},
          {"high", share.interval.high}};
}

Json measures_json(const stress::Measures& m, stress::Task task) {
  Json json;
  json["failures"] = share_json(m.failures);
  if (m.accepted) json["accepted"] = share_json(*m.accepted);
  if (m.other) json["other_class"] = share_json(*m.other);
  const char* name = task == stress::Task::kClassifier ? "mean_confidence"
                     : task == stress::Task::kDetector ? "mean_score"
                                                       : "mean_loss";
  json[name] = number_or_null(m.mean);
  if (task == stress::Task::kLoss) {
    json["quantile_95"] = number_or_null(m.quantile95);
  }
  if (task == stress::Task::kDetector) {
    json["detection"] =
        m.failures.trials == 0 ? Json(nullptr) : Json(1.0 - m.failures.value);
    json["median_delay"] = number_or_null(m.median_delay);
  }
  return json;
}

Json group_json(const stress::GroupMeasures& group, stress::Task task) {
  Json json;
  if (!group.grouping.empty()) {
    json["grouping"] = group.grouping;
    json["group"] = group.level;
  }
  json["severity"] = or_null(group.severity);
  json["cases"] = group.members.size();
  json["ranked"] = group.members.size() >= stress::kFewestRanked;
  json.update(measures_json(group.measures, task));
  return json;
}

Json case_json(const StressResult& result, std::size_t i) {
  const CaseFacts& facts = result.facts[i];
  const stress::CaseOutcome& outcome = result.verdict.outcomes.cases[i];
  Json json = {{"case", facts.row},
               {"severity", facts.severity},
               {"value", number_or_word(outcome.value)}};
  if (result.kind == Kind::kImages) json["outlier"] = facts.outlier;
  if (!facts.class_name.empty()) json["class"] = facts.class_name;
  if (!facts.sentence.empty()) json["sentence"] = facts.sentence;
  return json;
}

Json spots_json(const StressResult& result) {
  Json list = Json::array();
  const stress::WeakSpots& weak = result.verdict.weak;
  for (std::size_t r = 0; r < weak.spots.size(); ++r) {
    const stress::WeakSpot& spot = weak.spots[r];
    const stress::GroupMeasures& group = result.verdict.groups[spot.group];
    Json json = {{"rank", r + 1},
                 {"grouping", group.grouping},
                 {"group", group.level},
                 {"severity", or_null(group.severity)},
                 {"failures", share_json(group.measures.failures)}};
    json["within"] = spot.within ? Json(*spot.within + 1) : Json(nullptr);
    json["clearest"] = Json::array();
    for (const std::size_t i : spot.clearest) {
      json["clearest"].push_back(case_json(result, i));
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json gates_json(const StressResult& result) {
  Json list = Json::array();
  for (const stress::GateResult& gate : result.verdict.gates) {
    Json json = {{"gate", gate.gate.text},
                 {"passed", gate.is_passed},
                 {"value", number_or_null(gate.value)},
                 {"cases", gate.cases}};
    if (gate.interval) {
      json["low"] = gate.interval->low;
      json["high"] = gate.interval->high;
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json worst_loss_json(const stress::WorstLosses& worst) {
  Json json = {{"nominal", worst.nominal},
               {"largest_radius", worst.largest_radius},
               {"curve", Json::array()}};
  for (const stress::WorstLoss& one : worst.curve) {
    json["curve"].push_back({{"radius", number_or_word(one.radius)},
                             {"worst_expected_loss", number_or_word(one.value)},
                             {"duality_gap", finite_or_null(one.duality_gap)},
                             {"converged", one.is_converged}});
  }
  return json;
}

Json seek_json(const StressSeek& seek) {
  const stress::SeekResult& result = seek.result;
  Json json = {{"end", to_string(result.end)},
               {"model_calls", result.calls},
               {"radius", seek.radius},
               {"epsilon", seek.epsilon},
               {"first_pool", result.drawn},
               {"failures_in_first_pool", seek.failures_before},
               {"last_pool", result.points.rows()},
               {"failures_in_last_pool", seek.failures},
               {"rounds", Json::array()}};
  for (const stress::SeekRound& round : result.rounds) {
    json["rounds"].push_back({{"model_calls", round.calls},
                              {"expected_loss", round.mean_loss},
                              {"worst_expected_loss", round.worst_loss},
                              {"lambda", number_or_word(round.lambda)},
                              {"effective_sample_size", round.effective_size}});
  }
  if (!seek.file.empty()) json["file"] = seek.file;
  return json;
}

}  // namespace

Json to_json(const StressResult& result) {
  const stress::Verdict& verdict = result.verdict;
  const stress::Outcomes& outcomes = verdict.outcomes;
  Json json;
  json["version"] = build_version();
  json["run"] = result.run;
  json["kind"] = to_string(result.kind);
  json["model"] = result.model;
  json["task"] = to_string(outcomes.task);
  json["failure"] = failure_word(outcomes);
  json["threshold"] = number_or_word(outcomes.threshold);
  json["threshold_source"] = result.threshold_source;
  json["cases"] = outcomes.cases.size();
  json["controls"] = {{"what", result.control_words},
                      {"failures", share_json(verdict.control_failures)}};
  json["auroc"] = or_null(outcomes.auroc);
  json["overall"] = measures_json(verdict.overall, outcomes.task);
  json["severities"] = Json::array();
  for (const stress::GroupMeasures& group : verdict.curve) {
    json["severities"].push_back(group_json(group, outcomes.task));
  }
  json["smallest_severity_passed"] = or_null(verdict.severity_passed);
  json["smallest_severity_below_half"] = or_null(verdict.severity_below_half);
  json["groups"] = Json::array();
  for (const stress::GroupMeasures& group : verdict.groups) {
    json["groups"].push_back(group_json(group, outcomes.task));
  }
  json["tolerance"] = verdict.weak.tolerance;
  json["ranked_groups"] = verdict.weak.ranked_groups;
  json["weak_spots"] = spots_json(result);
  json["gates"] = gates_json(result);
  if (result.worst_loss) {
    json["worst_loss"] = worst_loss_json(*result.worst_loss);
  }
  if (result.seek) json["seek"] = seek_json(*result.seek);
  json["notes"] = result.notes;
  return json;
}

}  // namespace sbog::job
