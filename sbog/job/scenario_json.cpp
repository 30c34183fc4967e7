// SPDX-License-Identifier: Apache-2.0
// Scenarios to JSON and back; see scenario_json.h.
#include "sbog/job/scenario_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "sbog/base/atomic_file.h"
#include "sbog/base/checksum.h"
#include "sbog/base/errors.h"
#include "sbog/run/run_json.h"

namespace sbog::job {
namespace {

using PlainJson = nlohmann::json;
using series::RealisedEdit;
using series::Scenario;
using series::ScenarioStatus;

constexpr std::array<ScenarioStatus, 4> kStatuses = {
    ScenarioStatus::kReached, ScenarioStatus::kNear,
    ScenarioStatus::kOutsideOnly, ScenarioStatus::kFailed};

PlainJson to_json(const Matrix<double>& matrix) {
  return {{"rows", matrix.rows()},
          {"cols", matrix.cols()},
          {"values", std::vector<double>(matrix.elements().begin(),
                                         matrix.elements().end())}};
}

Matrix<double> matrix_of(const PlainJson& j) {
  const auto values = j.at("values").get<std::vector<double>>();
  const auto rows = j.at("rows").get<std::size_t>();
  const auto cols = j.at("cols").get<std::size_t>();
  // Compared before anything of that size is made.
  const bool is_whole = values.empty()
                            ? rows == 0 || cols == 0
                            : rows > 0 && values.size() % rows == 0 &&
                                  values.size() / rows == cols;
  if (!is_whole) {
    throw PlainJson::other_error::create(501, "another number of values",
                                         nullptr);
  }
  Matrix<double> matrix(rows, cols);
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

PlainJson to_json(const RealisedEdit& e) {
  return {{"kind", static_cast<int>(e.edit.kind)},
          {"channel", e.edit.channel},
          {"partner", e.edit.partner},
          {"partner_sign", e.edit.partner_sign},
          {"amount", e.edit.amount},
          {"start", e.edit.start},
          {"end", e.edit.end},
          {"period", e.edit.period},
          {"phase", e.edit.phase},
          {"first", e.effect.first},
          {"last", e.effect.last},
          {"settled", e.effect.settled},
          {"size", e.effect.size},
          {"factor", e.effect.factor},
          {"deviation", e.deviation},
          {"is_floored", e.is_floored},
          {"share", e.share}};
}

RealisedEdit edit_of(const PlainJson& j) {
  RealisedEdit e;
  e.edit.kind = series::kEditKinds.at(j.at("kind").get<std::size_t>());
  j.at("channel").get_to(e.edit.channel);
  j.at("partner").get_to(e.edit.partner);
  j.at("partner_sign").get_to(e.edit.partner_sign);
  j.at("amount").get_to(e.edit.amount);
  j.at("start").get_to(e.edit.start);
  j.at("end").get_to(e.edit.end);
  j.at("period").get_to(e.edit.period);
  j.at("phase").get_to(e.edit.phase);
  j.at("first").get_to(e.effect.first);
  j.at("last").get_to(e.effect.last);
  j.at("settled").get_to(e.effect.settled);
  j.at("size").get_to(e.effect.size);
  j.at("factor").get_to(e.effect.factor);
  j.at("deviation").get_to(e.deviation);
  j.at("is_floored").get_to(e.is_floored);
  j.at("share").get_to(e.share);
  return e;
}

PlainJson to_json(const series::DrawnChange& c) {
  return {{"channel", c.channel},
          {"size", c.size},
          {"sample", c.sample},
          {"deviation", c.deviation}};
}

series::DrawnChange change_of(const PlainJson& j) {
  series::DrawnChange c;
  j.at("channel").get_to(c.channel);
  j.at("size").get_to(c.size);
  j.at("sample").get_to(c.sample);
  j.at("deviation").get_to(c.deviation);
  return c;
}

void need(bool is_fine, const std::string& name, const char* what) {
  if (!is_fine) throw IoError(name, std::string("holds ") + what);
}

bool is_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

void check_edit(const RealisedEdit& e, const std::string& name,
                const AnchorPartLimits& limits) {
  need(e.edit.channel < limits.channels && e.edit.partner < limits.channels,
       name, "an edit of a channel that the series lacks");
  need(e.effect.first <= e.effect.last && e.effect.last < limits.width &&
           e.effect.settled < limits.width,
       name, "an edit beyond its window");
}

// Everything that is an index later, or says how much there is of something.
void check_scenario(const Scenario& s, std::size_t index,
                    const std::string& name, const AnchorPartLimits& limits) {
  need(s.index == index, name, "an output that is not of this anchor");
  need(s.anchor_window < limits.windows && limits.width <= limits.rows &&
           s.anchor_start <= limits.rows - limits.width,
       name, "a window that the series lacks");
  for (const Matrix<double>* window : {&s.source, &s.window}) {
    need(window->rows() == limits.width && window->cols() == limits.channels,
         name, "a window of another size");
    need(is_finite(window->elements()), name, "a value that is not finite");
  }
  need(s.source_point.size() == limits.dim, name, "a point of another size");
  const bool is_failed = s.status == ScenarioStatus::kFailed;
  for (const std::vector<double>* point : {&s.target, &s.point}) {
    need(point->size() == limits.dim || (is_failed && point->empty()), name,
         "a point of another size");
    need(is_finite(*point), name, "a value that is not finite");
  }
  for (const RealisedEdit& edit : s.edits) check_edit(edit, name, limits);
  for (const series::DrawnChange& change : s.changes) {
    need(change.channel < limits.channels && change.sample < limits.width, name,
         "a change beyond its window");
  }
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
  return j;
}

}  // namespace

PlainJson to_json(const Scenario& s) {
  PlainJson misses = PlainJson::array();
  for (const series::MissReason reason : s.misses) {
    misses.push_back(static_cast<int>(reason));
  }
  PlainJson edits = PlainJson::array();
  for (const RealisedEdit& edit : s.edits) edits.push_back(to_json(edit));
  PlainJson changes = PlainJson::array();
  for (const auto& change : s.changes) changes.push_back(to_json(change));
  PlainJson j = {{"index", s.index},
                 {"status", static_cast<int>(s.status)},
                 {"reason", static_cast<int>(s.reason)},
                 {"misses", misses},
                 {"tries", s.tries},
                 {"anchor_window", s.anchor_window},
                 {"anchor_start", s.anchor_start},
                 {"source", to_json(s.source)},
                 {"window", to_json(s.window)},
                 {"edits", edits},
                 {"changes", changes},
                 {"sentence", s.sentence},
                 {"alternatives", s.alternatives},
                 {"source_point", s.source_point},
                 {"target", s.target},
                 {"point", s.point},
                 {"reached", s.reached},
                 {"energy_source", s.energy_source},
                 {"energy_target", s.energy_target},
                 {"energy", s.energy},
                 {"linear_residual", s.linear_residual},
                 {"clipped_share", s.clipped_share},
                 {"visibility", s.visibility},
                 {"slew_ratio", s.slew_ratio}};
  if (s.second) j["second"] = {s.second->source_rank, s.second->rank};
  return j;
}

Scenario scenario_of(const PlainJson& j) {
  Scenario s;
  j.at("index").get_to(s.index);
  s.status = kStatuses.at(j.at("status").get<std::size_t>());
  const auto reasons = series::all_miss_reasons();
  s.reason = reasons.at(j.at("reason").get<std::size_t>());
  for (const PlainJson& reason : j.at("misses")) {
    s.misses.push_back(reasons.at(reason.get<std::size_t>()));
  }
  j.at("tries").get_to(s.tries);
  j.at("anchor_window").get_to(s.anchor_window);
  j.at("anchor_start").get_to(s.anchor_start);
  s.source = matrix_of(j.at("source"));
  s.window = matrix_of(j.at("window"));
  for (const PlainJson& edit : j.at("edits")) s.edits.push_back(edit_of(edit));
  for (const PlainJson& change : j.at("changes")) {
    s.changes.push_back(change_of(change));
  }
  j.at("sentence").get_to(s.sentence);
  j.at("alternatives").get_to(s.alternatives);
  j.at("source_point").get_to(s.source_point);
  j.at("target").get_to(s.target);
  j.at("point").get_to(s.point);
  j.at("reached").get_to(s.reached);
  j.at("energy_source").get_to(s.energy_source);
  j.at("energy_target").get_to(s.energy_target);
  j.at("energy").get_to(s.energy);
  j.at("linear_residual").get_to(s.linear_residual);
  j.at("clipped_share").get_to(s.clipped_share);
  j.at("visibility").get_to(s.visibility);
  j.at("slew_ratio").get_to(s.slew_ratio);
  if (j.contains("second")) {
    s.second = {j["second"].at(0).get<double>(),
                j["second"].at(1).get<double>()};
  }
  return s;
}

nlohmann::ordered_json told_json(const Scenario& s,
                                 const std::vector<std::string>& channels) {
  nlohmann::ordered_json j;
  j["index"] = s.index;
  j["status"] = to_string(s.status);
  if (s.reason != series::MissReason::kNone) j["reason"] = to_string(s.reason);
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
  j["reached"] = s.reached;
  j["energy_source"] = s.energy_source;
  j["energy_target"] = s.energy_target;
  j["energy"] = s.energy;
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
  j["threshold"] = d.threshold;
  j["share_outside"] = d.share_outside;
  j["windows"] = d.windows;
  j["anchors"] = d.anchors;
  j["barren_anchors"] = d.barren_anchors;
  j["candidate_edits"] = d.library;
  j["median_linear_residual"] = d.median_linear_residual;
  j["wanted_direction_rank"] = d.wanted_rank;
  j["realised_direction_rank"] = d.realised_rank;
  return j;
}

void write_anchor_part(const std::string& path, const std::string& identity,
                       const std::vector<Scenario>& scenarios) {
  PlainJson list = PlainJson::array();
  for (const Scenario& scenario : scenarios) {
    list.push_back(to_json(scenario));
  }
  const std::string body = stored_json(list, -1);
  Checksum checksum;
  checksum.update(body.data(), body.size());
  write_file_atomically(
      path, identity + " " + checksum_hex(checksum.digest()) + "\n" + body);
}

std::vector<Scenario> parse_scenarios(std::string_view text,
                                      const std::string& name,
                                      const AnchorPartLimits& limits) {
  std::vector<Scenario> scenarios;
  try {
    std::size_t index = limits.anchor;
    for (const PlainJson& entry : parse_stored_json(text)) {
      need(index < limits.outputs, name, "more outputs than were asked for");
      scenarios.push_back(scenario_of(entry));
      check_scenario(scenarios.back(), index, name, limits);
      index += limits.anchor_count;
    }
    need(index >= limits.outputs, name, "fewer outputs than were asked for");
  } catch (const PlainJson::exception&) {
    throw IoError(name, "is not a list of scenarios");
  } catch (const std::out_of_range&) {
    throw IoError(name, "holds a kind, a status or a reason that is unknown");
  }
  return scenarios;
}

std::optional<std::vector<Scenario>> read_anchor_part(
    const std::string& path, const std::string& identity,
    const AnchorPartLimits& limits) {
  std::ifstream file(path, std::ios::binary);
  std::string head;
  if (!std::getline(file, head)) return std::nullopt;
  const std::string body(std::istreambuf_iterator<char>(file), {});
  Checksum checksum;
  checksum.update(body.data(), body.size());
  if (head != identity + " " + checksum_hex(checksum.digest())) {
    return std::nullopt;
  }
  try {
    return parse_scenarios(body, path, limits);
  } catch (const IoError&) {
    return std::nullopt;  // not what a run writes: it is made again
  }
}

}  // namespace sbog::job
