// SPDX-License-Identifier: Apache-2.0
// Structures to JSON, field by field; see report_page.h.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sbog/base/errors.h"
#include "sbog/metrics/distance_ratio.h"
#include "sbog/report/report_page.h"

namespace sbog {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kExactInteger = std::uint64_t{1} << 53;

// Five digits are more than a chart can show.
double rounded(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.5g", value);
  return std::strtod(buffer, nullptr);
}

// JSON has no infinity.
Json json_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json rounded_number(double value) { return json_number(rounded(value)); }

template <typename V>
Json optional(const std::optional<V>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json optional_number(const std::optional<double>& value) {
  return value ? rounded_number(*value) : Json(nullptr);
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded_number(value));
  return list;
}

Json run_json(const ReportRun& r) {
  // Beyond 2^53 a page would round the number.
  const Json seed =
      r.seed <= kExactInteger ? Json(r.seed) : Json(std::to_string(r.seed));
  return {{"name", r.name},
          {"kind", r.kind},
          {"input", r.input},
          {"input_checksum", r.input_checksum},
          {"run", r.run},
          {"rule", r.rule},
          {"seed", seed},
          {"version", r.version},
          {"state", r.state},
          {"bank_rows", r.bank_rows},
          {"dimension", r.dimension},
          {"requested", r.requested},
          {"produced", r.produced},
          {"level", optional_number(r.level)},
          {"distance_ratio", optional_number(r.distance_ratio)},
          {"least_distance_ratio", kLeastDistanceRatio}};
}

Json interval_json(const std::optional<std::pair<double, double>>& interval) {
  if (!interval) return nullptr;
  return Json::array(
      {json_number(interval->first), json_number(interval->second)});
}

Json class_json(const ReportClass& c) {
  return {{"name", c.name},
          {"points", c.points},
          {"reference", c.reference},
          {"requested", c.requested},
          {"produced", c.produced},
          {"inside", c.inside},
          {"threshold", json_number(c.threshold)},
          {"epsilon", optional_number(c.epsilon)},
          {"radius", interval_json(c.radius)},
          {"binding", c.binding},
          {"proposals", c.proposals},
          {"failing_energy", c.failing_energy},
          {"failing_semantic", c.failing_semantic},
          {"failing_seed", c.failing_seed},
          {"anchors", c.anchors},
          {"anchors_tried", c.anchors_tried},
          {"anchors_hit", c.anchors_hit},
          {"acceptance", optional_number(c.acceptance)},
          {"acceptance_interval", interval_json(c.acceptance_interval)},
          {"purity", optional_number(c.purity)}};
}

Json columns_json(const ReportColumns& columns) {
  const std::size_t size = columns.cls.size();
  if (columns.energy.size() != size || columns.x.size() != size ||
      columns.y.size() != size) {
    throw InvalidArgument("report_json: columns of one length are expected");
  }
  return {{"total", columns.total},
          {"class", columns.cls},
          {"energy", numbers(columns.energy)},
          {"x", numbers(columns.x)},
          {"y", numbers(columns.y)}};
}

Json bank_json(const ReportBank& bank) {
  Json json = columns_json(bank);
  json["row"] = bank.row;
  return json;
}

Json anchors_json(const ReportAnchors& anchors) {
  Json json = columns_json(anchors);
  json["row"] = anchors.row;
  json["draws"] = anchors.draws;
  json["successes"] = anchors.successes;
  return json;
}

Json outliers_json(const ReportOutliers& outliers) {
  Json json = columns_json(outliers);
  const auto column = [&](const char* name, const auto& entry) {
    json[name] = Json::array();
    for (const ReportOutlier& o : outliers.facts) {
      json[name].push_back(entry(o));
    }
  };
  using O = ReportOutlier;
  column("index", [](const O& o) { return Json(o.index); });
  json["anchor"] = outliers.anchor;
  column("origin", [](const O& o) { return Json(o.origin); });
  column("round", [](const O& o) { return optional(o.round); });
  column("proposal", [](const O& o) { return optional(o.proposal); });
  column("feasible", [](const O& o) { return optional(o.feasible); });
  column("margin", [](const O& o) { return rounded_number(o.margin); });
  column("class_cosine",
         [](const O& o) { return optional_number(o.class_cosine); });
  column("anchor_cosine",
         [](const O& o) { return optional_number(o.anchor_cosine); });
  json["nearest"] = Json::array();
  for (const auto& cost : outliers.nearest) {
    json["nearest"].push_back(optional_number(cost));
  }
  column("p_value", [](const O& o) { return optional_number(o.p_value); });
  column("certified", [](const O& o) { return optional(o.certified); });
  column("words", [](const O& o) {
    return o.words.empty() ? Json(nullptr) : Json(o.words);
  });
  column("neighbours", [](const O& o) { return Json(o.neighbours); });
  return json;
}

Json map_json(const ReportMap& map) {
  Json features = nullptr;
  if (map.features) {
    features = {{"dimension", map.features->dimension},
                {"bank", map.features->bank},
                {"anchors", map.features->anchors},
                {"outliers", map.features->outliers},
                {"values", numbers(map.features->values)}};
  }
  return {{"explained", Json::array({rounded_number(map.explained.first),
                                     rounded_number(map.explained.second)})},
          {"features", features}};
}

Json metrics_json(const std::optional<std::vector<ReportMetric>>& metrics) {
  if (!metrics) return nullptr;
  Json list = Json::array();
  for (const ReportMetric& metric : *metrics) {
    Json entry = {{"name", metric.name},
                  {"value", metric.value ? json_number(*metric.value) : Json()},
                  {"direction", metric.direction},
                  {"meaning", metric.meaning}};
    if (!metric.value) entry["reason"] = metric.reason;
    list.push_back(std::move(entry));
  }
  return list;
}

Json window_json(const ReportWindow& w) {
  Json channels = Json::array();
  for (const ReportChannel& channel : w.channels) {
    Json spans = Json::array();
    for (const auto& [first, end] : channel.spans) {
      spans.push_back(Json::array({first, end}));
    }
    channels.push_back({{"name", channel.name},
                        {"source", numbers(channel.source)},
                        {"edited", numbers(channel.edited)},
                        {"spans", spans},
                        {"low", rounded_number(channel.low)},
                        {"high", rounded_number(channel.high)}});
  }
  Json times = nullptr;
  if (w.times) times = Json::array({w.times->first, w.times->second});
  return {{"outlier", w.outlier},
          {"class", w.cls},
          {"sentences", w.sentences},
          {"first_row", w.first_row},
          {"times", times},
          {"channels", channels},
          {"channel_count", w.channel_count}};
}

Json image_json(const ReportImage& image) {
  return {{"outlier", image.outlier},
          {"class", image.cls},
          {"png", image.png},
          {"source_png", optional(image.source_png)},
          {"energy", optional_number(image.energy)},
          {"decoded_energy", optional_number(image.decoded_energy)},
          {"outside", optional(image.is_outside)},
          {"severity", optional(image.severity)},
          {"consistency", optional_number(image.consistency)},
          {"nearest_image", optional_number(image.nearest_image)}};
}

Json item_json(const ReportItem& item) {
  return {{"row", item.row},
          {"class", item.cls},
          {"text", item.text},
          {"png", optional(item.png)}};
}

template <typename V, typename Entry>
Json list_json(const std::vector<V>& values, const Entry& entry) {
  Json list = Json::array();
  for (const V& value : values) list.push_back(entry(value));
  return list;
}

Json certificate_json(const std::string& text) {
  if (text.empty()) return nullptr;
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    throw InvalidArgument("report_json: the certificate is not JSON");
  }
  return json;
}

Json share_json(const ReportShare& share) {
  return {{"count", share.count},
          {"of", share.of},
          {"share", rounded_number(share.share)},
          {"low", rounded_number(share.low)},
          {"high", rounded_number(share.high)}};
}

Json group_json(const ReportStressGroup& group) {
  return {{"grouping", group.grouping},
          {"level", group.level},
          {"severity", optional(group.severity)},
          {"failures", share_json(group.failures)}};
}

Json spot_json(const ReportWeakSpot& spot) {
  Json json = group_json(spot);
  json["clearest"] =
      list_json(spot.clearest, [](const ReportWeakSpot::Case& one) {
        return Json{{"outlier", one.outlier}, {"words", one.words}};
      });
  return json;
}

Json gate_json(const ReportGate& gate) {
  return {{"text", gate.text},
          {"passed", gate.is_passed},
          {"value", optional_number(gate.value)}};
}

Json stress_json(const std::optional<ReportStress>& stress) {
  if (!stress) return nullptr;
  return {{"model", stress->model},
          {"task", stress->task},
          {"failure", stress->failure},
          {"controls", stress->controls},
          {"control_failures", share_json(stress->control_failures)},
          {"overall", share_json(stress->overall)},
          {"auroc", optional_number(stress->auroc)},
          {"tolerance", rounded_number(stress->tolerance)},
          {"ranked_groups", stress->ranked_groups},
          {"severities", list_json(stress->severities, group_json)},
          {"groups", list_json(stress->groups, group_json)},
          {"weak_spots", list_json(stress->weak_spots, spot_json)},
          {"gates", list_json(stress->gates, gate_json)},
          {"notes", stress->notes}};
}

}  // namespace

std::string report_json(const ReportData& data) {
  const Json json = {{"format", 1},
                     {"run", run_json(data.run)},
                     {"classes", list_json(data.classes, class_json)},
                     {"bank", bank_json(data.bank)},
                     {"anchors", anchors_json(data.anchors)},
                     {"outliers", outliers_json(data.outliers)},
                     {"map", map_json(data.map)},
                     {"metrics", metrics_json(data.metrics)},
                     {"metrics_note", data.metrics_note},
                     {"certificate", certificate_json(data.certificate)},
                     {"certificate_note", data.certificate_note},
                     {"stress", stress_json(data.stress)},
                     {"items", list_json(data.items, item_json)},
                     {"listed", data.listed},
                     {"windows", list_json(data.windows, window_json)},
                     {"images", list_json(data.images, image_json)},
                     {"images_total", data.images_total},
                     {"images_outside", optional(data.images_outside)},
                     {"notes", data.notes},
                     {"config", data.config},
                     {"command", data.command}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sbog
