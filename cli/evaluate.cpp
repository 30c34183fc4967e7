// SPDX-License-Identifier: Apache-2.0
// sbog evaluate: its words, and its result as text.
#include "sbog/job/evaluate.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"

namespace sbog::cli {
namespace {

void print_header(const job::EvaluateResult& result) {
  const ScoreOptions& score = result.settings.score;
  std::printf("bank        %s points, dimension %zu\n",
              with_commas(result.bank_rows).c_str(), result.dim);
  std::printf("outliers    %s points\n",
              with_commas(result.outlier_rows).c_str());
  std::printf("energy      %s cost, epsilon %g, self %s, trim %g\n",
              to_string(score.energy.cost), score.energy.epsilon,
              score.includes_self ? "include" : "exclude", score.trim);
  for (const ClassScore& c : result.metrics.score.classes) {
    std::printf("threshold   %.9g (level %g, plus margin %g, of %s points%s)\n",
                c.threshold.value, c.threshold.level, c.threshold.margin,
                with_commas(c.threshold.calibration_count).c_str(),
                score.is_per_class
                    ? (", class " + std::to_string(c.label)).c_str()
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

void print_evaluate(const job::EvaluateResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  print_header(result);
  std::printf("\n%-16s %12s  %-16s  %s\n", "metric", "value", "direction",
              "meaning");
  bool is_any_missing = false;
  for (const MetricEntry& entry : result.metrics.table.entries()) {
    is_any_missing = is_any_missing || !entry.value;
    if (!entry.value) continue;
    std::printf("%-16s %12.6g  %-16s  %s\n", entry.name.c_str(), *entry.value,
                to_string(entry.direction), entry.meaning.c_str());
  }
  print_purity(result.metrics.purity);
  if (is_any_missing) std::printf("\nnot computed\n");
  for (const MetricEntry& entry : result.metrics.table.entries()) {
    if (entry.value) continue;
    std::printf("%-16s %s\n", entry.name.c_str(), entry.reason.c_str());
  }
  std::printf("\ntime        %.3f s, %zu thread%s\n", result.seconds,
              result.threads, result.threads == 1 ? "" : "s");
}

}  // namespace

Command evaluate_command() {
  return job_command(
      {"evaluate",
       "Every quality metric of generated outliers",
       "  sbog evaluate --bank demo:bank --outliers demo:outliers\n"
       "  sbog evaluate --bank demo:bank --labels demo:labels --outliers "
       "demo:outliers --outlier-labels demo:outlier-labels --class-anchors "
       "demo:anchors --out metrics.json",
       "Files: .npy, .npz:name, .csv, .safetensors:name, .idx (also .gz);\n"
       "demo:bank, demo:labels, demo:outliers, demo:outlier-labels and\n"
       "demo:anchors are built in.\n"
       "\n"
       "RUN may hold points, a series or images. The bank of points is read\n"
       "again from where it was; metrics.json of the run is written unless\n"
       "--out names another file.",
       {},
       {}},
      job::evaluate_option_table(), print_evaluate);
}

}  // namespace sbog::cli
