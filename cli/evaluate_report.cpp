// SPDX-License-Identifier: Apache-2.0
// Output of `sbog evaluate`; see evaluate_report.h.
#include "evaluate_report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "console.h"

namespace sbog::cli {
namespace {

const char* self_mode(const OutlierOptions& options) {
  return options.score.includes_self ? "include" : "exclude";
}

nlohmann::ordered_json entry_json(const MetricEntry& entry) {
  nlohmann::ordered_json json;
  json["name"] = entry.name;
  json["value"] = nullptr;
  if (entry.value) json["value"] = *entry.value;
  json["direction"] = to_string(entry.direction);
  json["meaning"] = entry.meaning;
  if (!entry.value) json["reason"] = entry.reason;
  return json;
}

void print_header(const OutlierMetrics& metrics, const OutlierOptions& options,
                  const EvaluateFacts& facts) {
  std::printf("bank        %s points, dimension %zu\n",
              with_commas(facts.bank_rows).c_str(), facts.dim);
  std::printf("outliers    %s points\n",
              with_commas(facts.outlier_rows).c_str());
  std::printf("energy      %s cost, epsilon %g, self %s, trim %g\n",
              to_string(options.score.energy.cost),
              options.score.energy.epsilon, self_mode(options),
              options.score.trim);
  for (const ClassScore& score : metrics.score.classes) {
    std::printf(
        "threshold   %.9g (quantile %g plus margin %g of %s points%s)\n",
        score.threshold.value, score.threshold.level, score.threshold.margin,
        with_commas(score.threshold.calibration_count).c_str(),
        options.score.is_per_class
            ? (", class " + std::to_string(score.label)).c_str()
            : "");
  }
}

void print_purity(const std::vector<ClassPurity>& purity) {
  if (purity.empty()) return;
  const auto [worst, best] = std::minmax_element(
      purity.begin(), purity.end(),
      [](const auto& a, const auto& b) { return a.value < b.value; });
  if (worst->value == best->value) return;
  std::printf("\nleast pure class: %lld with Purity %.6g of %s outliers\n",
              static_cast<long long>(worst->label), worst->value,
              with_commas(worst->count).c_str());
}

}  // namespace

std::string metrics_json(const OutlierMetrics& metrics,
                         const OutlierOptions& options,
                         const EvaluateFacts& facts) {
  nlohmann::ordered_json json;
  json["bank_rows"] = facts.bank_rows;
  json["outlier_rows"] = facts.outlier_rows;
  json["dimension"] = facts.dim;
  json["cost"] = to_string(options.score.energy.cost);
  json["epsilon"] = options.score.energy.epsilon;
  json["self"] = self_mode(options);
  json["trim"] = options.score.trim;
  json["quantile"] = options.score.threshold.level;
  json["margin"] = options.score.threshold.margin;
  json["per_class"] = options.score.is_per_class;
  json["seed"] = options.seed;
  json["thresholds"] = nlohmann::ordered_json::array();
  for (const ClassScore& score : metrics.score.classes) {
    nlohmann::ordered_json line;
    if (options.score.is_per_class) line["label"] = score.label;
    line["value"] = score.threshold.value;
    line["calibration_count"] = score.threshold.calibration_count;
    json["thresholds"].push_back(line);
  }
  json["metrics"] = nlohmann::ordered_json::array();
  for (const MetricEntry& entry : metrics.table.entries()) {
    json["metrics"].push_back(entry_json(entry));
  }
  json["purity"] = nlohmann::ordered_json::array();
  for (const ClassPurity& purity : metrics.purity) {
    json["purity"].push_back({{"label", purity.label},
                              {"count", purity.count},
                              {"value", purity.value}});
  }
  return json.dump(2) + "\n";
}

void print_metrics(const OutlierMetrics& metrics, const OutlierOptions& options,
                   const EvaluateFacts& facts) {
  print_header(metrics, options, facts);
  std::printf("\n%-16s %12s  %-16s  %s\n", "metric", "value", "direction",
              "meaning");
  bool is_any_missing = false;
  for (const MetricEntry& entry : metrics.table.entries()) {
    is_any_missing = is_any_missing || !entry.value;
    if (!entry.value) continue;
    std::printf("%-16s %12.6g  %-16s  %s\n", entry.name.c_str(), *entry.value,
                to_string(entry.direction), entry.meaning.c_str());
  }
  print_purity(metrics.purity);
  if (is_any_missing) std::printf("\nnot computed\n");
  for (const MetricEntry& entry : metrics.table.entries()) {
    if (entry.value) continue;
    std::printf("%-16s %s\n", entry.name.c_str(), entry.reason.c_str());
  }
  std::printf("\ntime        %.3f s, %zu thread%s\n", facts.seconds,
              facts.threads, facts.threads == 1 ? "" : "s");
}

}  // namespace sbog::cli
