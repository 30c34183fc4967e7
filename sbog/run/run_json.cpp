// SPDX-License-Identifier: Apache-2.0
// See run_json.h.
#include "sbog/run/run_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sbog/base/byte_text.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace {

using Json = nlohmann::json;

// What an entry must be.
struct EntryForm {
  const char* name;
  bool (*is_fine)(const Json& value);
  const char* words;
};

// Deeper than anything a run writes; what is deeper is not copied, since copies
// go down by recursion.
constexpr int kMostNested = 32;

// The same with every text, and every key, changed.
template <typename J, typename Change>
J with_texts(const J& json, const Change& change) {
  if (json.is_string())
    return change(json.template get_ref<const std::string&>());
  J copy = json;
  if (json.is_array()) {
    for (J& element : copy) element = with_texts(element, change);
  } else if (json.is_object()) {
    copy = J::object();
    for (const auto& [key, value] : json.items()) {
      copy[change(key)] = with_texts(value, change);
    }
  }
  return copy;
}

bool is_text(const Json& value) { return value.is_string(); }
bool is_count(const Json& value) { return value.is_number_unsigned(); }
bool is_whole(const Json& value) { return value.is_number_integer(); }
// JSON has no word for infinity.
bool is_number(const Json& value) {
  return value.is_number() || value.is_null();
}
bool are_texts(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, is_text);
}
bool are_objects(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& x) {
           return x.is_object();
         });
}
bool are_ranges(const Json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const Json& x) {
           return x.is_array() && x.size() == 2 && x[0].is_number() &&
                  x[1].is_number();
         });
}

constexpr const char* kText = "a text";
constexpr const char* kCount = "a whole number of at least 0";

constexpr EntryForm kManifestForms[] = {
    {"version", is_text, kText},
    {"kind", is_text, kText},
    {"state", is_text, kText},
    {"input", is_text, kText},
    {"input_checksum", is_text, kText},
    {"bank_checksum", is_text, kText},
    {"run", is_text, kText},
    {"rule", is_text, kText},
    {"law", is_text, kText},
    {"profile", is_text, kText},
    {"decoder", is_text, kText},
    {"started_in", is_text, kText},

    {"items", is_text, kText},
    {"seed", is_count, kCount},
    {"requested", is_count, kCount},
    {"produced", is_count, kCount},
    {"bank_rows", is_count, kCount},
    {"dimension", is_count, kCount},
    {"windows", is_count, kCount},
    {"width", is_count, kCount},
    {"reference", is_count, kCount},
    {"rows", is_count, kCount},
    {"images", is_count, kCount},
    {"level", is_number, "a number"},
    {"distance_ratio", is_number, "a number"},
    {"channels", are_texts, "a list of texts"},
    {"notes", are_texts, "a list of texts"},
    {"classes", are_objects, "a list of classes"},
    {"ranges", are_ranges, "a list of pairs of numbers"}};

constexpr EntryForm kClassForms[] = {
    {"label", is_whole, "a whole number"},
    {"name", is_text, kText},
    {"status", is_text, kText},
    {"binding", is_text, kText},
    {"requested", is_count, kCount},
    {"produced", is_count, kCount},
    {"points", is_count, kCount},
    {"reference", is_count, kCount},
    {"anchor_count", is_count, kCount},
    {"epsilon", is_number, "a number"},
    {"threshold", is_number, "a number"},
    {"severities", are_objects, "a list of severities"},
    {"anchors", are_objects, "a list of anchors"}};

void check_entries(const Json& object, std::span<const EntryForm> forms,
                   const std::string& where, const std::string& path) {
  for (const EntryForm& form : forms) {
    const auto entry = object.find(form.name);
    if (entry == object.end() || form.is_fine(*entry)) continue;
    throw IoError(path, "'" + where + form.name + "' is not " + form.words);
  }
}

}  // namespace

std::string stored_json(const nlohmann::json& json, int indent) {
  return with_texts(json, stored_text).dump(indent);
}

std::string stored_json(const nlohmann::ordered_json& json, int indent) {
  return with_texts(json, stored_text).dump(indent);
}

nlohmann::json parse_stored_json(std::string_view text) {
  bool is_too_deep = false;
  const Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json&) {
        is_too_deep = is_too_deep || depth > kMostNested;
        return !is_too_deep;
      },
      false);
  if (is_too_deep) return Json(Json::value_t::discarded);
  return with_texts(json, stored_bytes);
}

void check_manifest(const nlohmann::json& manifest, const std::string& path) {
  if (!manifest.is_object()) {
    throw IoError(path, "is not the manifest of a run");
  }
  check_entries(manifest, kManifestForms, "", path);
  const auto classes = manifest.find("classes");
  if (classes == manifest.end()) return;
  for (std::size_t c = 0; c < classes->size(); ++c) {
    check_entries((*classes)[c], kClassForms,
                  "classes[" + std::to_string(c) + "].", path);
  }
}

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
  nlohmann::json bands = nlohmann::json::array();
  for (const BandReport& band : report.bands) {
    bands.push_back({{"severity", band.severity},
                     {"low", band.low},
                     {"high", band.high},
                     {"radius", {band.radius_low, band.radius_high}},
                     {"requested", band.requested},
                     {"produced", band.produced},
                     {"binding", to_string(band.binding)}});
  }
  std::vector<std::size_t> rounds = report.rounds;
  while (!rounds.empty() && rounds.back() == 0) rounds.pop_back();
  nlohmann::json json = {
      {"label", report.label},
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
  if (!bands.empty()) json["severities"] = std::move(bands);
  return json;
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
