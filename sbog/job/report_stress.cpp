// SPDX-License-Identifier: Apache-2.0
// stress.json to plain values; see report_stress.h.
#include "sbog/job/report_stress.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/job/report_files.h"

namespace sbog::job {
namespace {

using Node = nlohmann::json;

// Numbers may be words for what is infinite.
std::optional<double> number_of(const Node& node) {
  if (!node.is_number()) return std::nullopt;
  return node.get<double>();
}

ReportShare share_of(const Node& node) {
  ReportShare share;
  share.count = node.at("count").get<std::uint64_t>();
  share.of = node.at("of").get<std::uint64_t>();
  share.share = node.at("share").get<double>();
  share.low = node.at("low").get<double>();
  share.high = node.at("high").get<double>();
  return share;
}

ReportStressGroup group_of(const Node& node) {
  ReportStressGroup group;
  group.grouping = node.value("grouping", "");
  group.level = node.value("group", "");
  if (!node.at("severity").is_null()) {
    group.severity = node.at("severity").get<int>();
  }
  group.failures = share_of(node.at("failures"));
  return group;
}

ReportWeakSpot spot_of(const Node& node,
                       std::span<const ReportOutlier> outliers) {
  ReportWeakSpot spot;
  static_cast<ReportStressGroup&>(spot) = group_of(node);
  for (const Node& one : node.at("clearest")) {
    // A case that is an image has another number than its outlier.
    const auto row = one.value("outlier", one.at("case").get<std::size_t>());
    if (row >= outliers.size()) continue;  // the run was made anew meanwhile
    spot.clearest.push_back({outliers[row].index, one.value("sentence", "")});
  }
  return spot;
}

ReportStress read(const Node& json, std::span<const ReportOutlier> outliers) {
  ReportStress stress;
  stress.model = json.at("model").get<std::string>();
  stress.task = json.at("task").get<std::string>();
  stress.failure = json.at("failure").get<std::string>();
  stress.controls = json.at("controls").at("what").get<std::string>();
  stress.control_failures = share_of(json.at("controls").at("failures"));
  stress.overall = share_of(json.at("overall").at("failures"));
  stress.auroc = number_of(json.at("auroc"));
  stress.tolerance = json.at("tolerance").get<double>();
  stress.ranked_groups = json.at("ranked_groups").get<std::uint64_t>();
  for (const Node& group : json.at("severities")) {
    stress.severities.push_back(group_of(group));
  }
  for (const Node& group : json.at("groups")) {
    stress.groups.push_back(group_of(group));
  }
  for (const Node& spot : json.at("weak_spots")) {
    stress.weak_spots.push_back(spot_of(spot, outliers));
  }
  for (const Node& gate : json.at("gates")) {
    stress.gates.push_back({gate.at("gate").get<std::string>(),
                            gate.at("passed").get<bool>(),
                            number_of(gate.at("value"))});
  }
  stress.notes = json.at("notes").get<std::vector<std::string>>();
  return stress;
}

}  // namespace

std::optional<ReportStress> stress_of(const FinishedRun& run,
                                      std::span<const ReportOutlier> outliers) {
  if (!run.has_file("stress.json")) return std::nullopt;
  const std::string path = run.file("stress.json");
  const Node json = json_of_file(path);
  try {
    return read(json, outliers);
  } catch (const Node::exception&) {
    throw IoError(path,
                  "is not what sbog stress writes; remove it, and sbog stress "
                  "makes it again");
  }
}

std::vector<std::size_t> clearest_cases(
    const std::optional<ReportStress>& stress) {
  std::vector<std::size_t> cases;
  if (!stress) return cases;
  for (const ReportWeakSpot& spot : stress->weak_spots) {
    for (const ReportWeakSpot::Case& one : spot.clearest) {
      if (std::ranges::find(cases, one.outlier) == cases.end()) {
        cases.push_back(one.outlier);
      }
    }
  }
  return cases;
}

}  // namespace sbog::job
