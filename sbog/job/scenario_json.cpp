// SPDX-License-Identifier: Apache-2.0
// Scenarios to JSON and back; see scenario_json.h.
#include "sbog/job/scenario_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
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

constexpr std::array<ScenarioStatus, 5> kStatuses = {
    ScenarioStatus::kReached, ScenarioStatus::kNear,
    ScenarioStatus::kOutsideOnly, ScenarioStatus::kFailed,
    ScenarioStatus::kGraded};

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

// An end that is not claimed is left out.
PlainJson to_json(const ReturnPeriod& period) {
  PlainJson j = {{"rows", period.rows},
                 {"low", period.low},
                 {"is_beyond", period.is_beyond}};
  if (!std::isinf(period.high)) j["high"] = period.high;
  return j;
}

std::optional<ReturnPeriod> period_of(const PlainJson& j) {
  const auto at = j.find("period");
  if (at == j.end()) return std::nullopt;
  return ReturnPeriod{
      at->at("rows").get<double>(), at->at("low").get<double>(),
      at->value("high", std::numeric_limits<double>::infinity()),
      at->at("is_beyond").get<bool>()};
}

PlainJson to_json(const series::EditRarity& r) {
  PlainJson j = {{"first", r.first},
                 {"length", r.length},
                 {"statistic", r.statistic},
                 {"p", r.rarity.p},
                 {"is_bound", r.rarity.is_bound},
                 {"is_estimate", r.rarity.is_estimate}};
  if (r.rarity.period) j["period"] = to_json(*r.rarity.period);
  return j;
}

series::EditRarity rarity_of(const PlainJson& j) {
  series::EditRarity r;
  j.at("first").get_to(r.first);
  j.at("length").get_to(r.length);
  j.at("statistic").get_to(r.statistic);
  j.at("p").get_to(r.rarity.p);
  j.at("is_bound").get_to(r.rarity.is_bound);
  j.at("is_estimate").get_to(r.rarity.is_estimate);
  r.rarity.period = period_of(j);
  return r;
}

PlainJson to_json(const series::WindowGrade& g) {
  PlainJson j = {{"asked", g.asked},
                 {"severity", g.severity},
                 {"rarest", g.rarest},
                 {"p", g.p},
                 {"is_bound", g.is_bound}};
  if (g.period) j["period"] = to_json(*g.period);
  return j;
}

series::WindowGrade grade_of(const PlainJson& j) {
  series::WindowGrade g;
  j.at("asked").get_to(g.asked);
  j.at("severity").get_to(g.severity);
  j.at("rarest").get_to(g.rarest);
  j.at("p").get_to(g.p);
  j.at("is_bound").get_to(g.is_bound);
  g.period = period_of(j);
  return g;
}

PlainJson to_json(const RealisedEdit& e) {
  PlainJson j = {{"kind", static_cast<int>(e.edit.kind)},
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
  if (e.rarity) j["rarity"] = to_json(*e.rarity);
  return j;
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
  if (j.contains("rarity")) e.rarity = rarity_of(j["rarity"]);
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
  need(!e.rarity || (e.rarity->length <= limits.width &&
                     e.rarity->first <= limits.width - e.rarity->length),
       name, "a span beyond its window");
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
  need(!s.grade || s.grade->rarest < s.edits.size(), name,
       "a grade of an edit that is not there");
  for (const series::KindAndChannel& pair : s.unreached) {
    need(pair.channel < limits.channels, name,
         "an edit of a channel that the series lacks");
  }
  for (const series::DrawnChange& change : s.changes) {
    need(change.channel < limits.channels && change.sample < limits.width, name,
         "a change beyond its window");
  }
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
  if (s.asked > 0) j["asked"] = s.asked;
  if (s.grade) j["grade"] = to_json(*s.grade);
  for (const series::KindAndChannel& pair : s.unreached) {
    j["unreached"].push_back({static_cast<int>(pair.kind), pair.channel});
  }
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
  if (j.contains("asked")) j["asked"].get_to(s.asked);
  if (j.contains("grade")) s.grade = grade_of(j["grade"]);
  if (j.contains("unreached")) {
    for (const PlainJson& pair : j["unreached"]) {
      s.unreached.push_back(
          {series::kEditKinds.at(pair.at(0).get<std::size_t>()),
           pair.at(1).get<std::size_t>()});
    }
  }
  return s;
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
