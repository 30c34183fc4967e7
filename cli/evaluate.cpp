// SPDX-License-Identifier: Apache-2.0
// sbog evaluate: its words, and its result as text.
#include "sbog/job/evaluate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"

namespace sbog::cli {
namespace {

// Metrics that say most, first; of those that there are this many are shown.
constexpr std::array kTelling = {"Distance_ratio", "Accepted",  "Gap",
                                 "Purity",         "Diversity", "Nearest_min"};
constexpr std::size_t kMostShown = 5;

void print_thresholds(const std::vector<ClassScore>& classes) {
  const auto [low, high] = std::ranges::minmax(
      classes, {}, [](const ClassScore& c) { return c.threshold.value; });
  const Threshold& first = classes.front().threshold;
  if (classes.size() == 1) {
    std::printf("threshold   %.9g (level %g, plus margin %g, of %s points)\n",
                first.value, first.level, first.margin,
                with_commas(first.calibration_count).c_str());
    return;
  }
  std::printf(
      "thresholds  %.4g to %.4g (level %g of each of %s classes, plus margin "
      "%g)\n",
      low.threshold.value, high.threshold.value, first.level,
      with_commas(classes.size()).c_str(), first.margin);
}

void print_header(const job::EvaluateResult& result) {
  const ScoreOptions& score = result.settings.score;
  std::printf("bank        %s points, dimension %zu\n",
              with_commas(result.bank_rows).c_str(), result.dim);
  std::printf("outliers    %s points\n",
              with_commas(result.outlier_rows).c_str());
  std::printf("energy      %s cost, epsilon %g, self %s, trim %g\n",
              to_string(score.energy.cost), score.energy.epsilon,
              score.includes_self ? "include" : "exclude", score.trim);
  if (!result.metrics.score.classes.empty()) {
    print_thresholds(result.metrics.score.classes);
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

void print_row(const MetricEntry& entry) {
  std::printf("%-16s %12.6g  %-16s  %s\n", entry.name.c_str(), *entry.value,
              to_string(entry.direction), entry.meaning.c_str());
}

void print_all(const std::vector<MetricEntry>& entries) {
  bool is_any_missing = false;
  for (const MetricEntry& entry : entries) {
    is_any_missing = is_any_missing || !entry.value;
    if (entry.value) print_row(entry);
  }
  if (is_any_missing) std::printf("\nnot computed\n");
  for (const MetricEntry& entry : entries) {
    if (entry.value) continue;
    std::printf("%-16s %s\n", entry.name.c_str(), entry.reason.c_str());
  }
}

void print_telling(const std::vector<MetricEntry>& entries) {
  std::size_t shown = 0;
  for (const char* name : kTelling) {
    const auto at = std::ranges::find(entries, name, &MetricEntry::name);
    if (at == entries.end() || !at->value || shown == kMostShown) continue;
    print_row(*at);
    ++shown;
  }
  std::printf("%zu more with --all\n", entries.size() - shown);
}

void print_evaluate(const job::EvaluateResult& result, bool prints_all,
                    Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  print_header(result);
  std::printf("\n%-16s %12s  %-16s  %s\n", "metric", "value", "direction",
              "meaning");
  const std::vector<MetricEntry>& entries = result.metrics.table.entries();
  prints_all ? print_all(entries) : print_telling(entries);
  print_purity(result.metrics.purity);
  std::printf("\ntime        %.3f s, %zu thread%s\n", result.seconds,
              result.threads, result.threads == 1 ? "" : "s");
}

// A matter of the terminal alone, so no option of the job.
OptionInfo all_option() {
  OptionInfo info;
  info.name = "all";
  info.help =
      "Whether every metric is printed and not only the most telling ones; "
      "JSON and the written file have all";
  info.type = OptionType::kFlag;
  info.level = OptionLevel::kBasic;
  return info;
}

}  // namespace

Command evaluate_command() {
  const auto& table = job::evaluate_option_table();
  Command command = {
      "evaluate",
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
      table.infos(),
      [&table](std::vector<Assignment> given, Session& session) {
        const bool prints_all = std::erase_if(given, [](const Assignment& one) {
                                  return one.name == "all";
                                }) > 0;
        const auto print = [&](const auto& result, Session& to) {
          print_evaluate(result, prints_all, to);
        };
        return job_command({}, table, print).run(given, session);
      }};
  command.options.push_back(all_option());
  return command;
}

}  // namespace sbog::cli
