// SPDX-License-Identifier: Apache-2.0
// Output of `sbog score`; see score_report.h.
#include "score_report.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace sbog::cli {
namespace {

constexpr std::array<double, 8> kLevels = {0.0,  0.05, 0.25, 0.5,
                                           0.75, 0.95, 0.99, 1.0};
constexpr double kSelfShareWarning = 0.1;

double pairs_per_second(const ScoreFacts& facts, const ScoreResult& result) {
  return facts.seconds > 0.0 ? result.pairs / facts.seconds : 0.0;
}

// JSON has no infinity: nlohmann writes null, which the manual documents.
nlohmann::json to_json(const ClassScore& score, bool is_per_class) {
  nlohmann::json json = {
      {"bank_count", score.bank_count},
      {"reference_count", score.reference_count},
      {"query_count", score.query_count},
      {"threshold", score.threshold.value},
      {"calibration_count", score.threshold.calibration_count},
      {"share_above", score.share_above},
      {"median_self_share", score.median_self_share},
  };
  if (is_per_class) json["label"] = score.label;
  return json;
}

void print_json(const ScoreArguments& arguments, const ScoreFacts& facts,
                const ScoreResult& result, const std::vector<double>& levels) {
  nlohmann::json json = {
      {"bank_rows", facts.bank_rows},
      {"dimension", facts.dim},
      {"query_rows", facts.query_rows},
      {"cost", arguments.cost},
      {"epsilon", arguments.epsilon},
      {"self", arguments.self},
      {"threshold_rule", arguments.threshold},
      {"quantile", arguments.quantile},
      {"margin", arguments.margin},
      {"precision", arguments.precision},
      {"tolerance", arguments.tolerance},
      {"evaluated_share", result.evaluated_share},
      {"pairs", result.pairs},
      {"seconds", facts.seconds},
      {"pairs_per_second", pairs_per_second(facts, result)},
      {"threads", facts.threads},
      {"simd", simd_target()},
      {"out", arguments.out},
  };
  for (std::size_t i = 0; i < levels.size(); ++i) {
    json["energy_quantiles"].push_back({kLevels[i], levels[i]});
  }
  for (const ClassScore& score : result.classes) {
    json["classes"].push_back(to_json(score, arguments.is_per_class));
  }
  std::printf("%s\n", json.dump(2).c_str());
}

void print_table(const ScoreArguments& arguments, const ScoreFacts& facts,
                 const ScoreResult& result, const std::vector<double>& levels) {
  std::printf("bank        %s points, dimension %zu\n",
              with_commas(facts.bank_rows).c_str(), facts.dim);
  if (facts.query_rows > 0) {
    std::printf("queries     %s points\n",
                with_commas(facts.query_rows).c_str());
  }
  std::printf("energy      %s cost, epsilon %g, self %s\n",
              arguments.cost.c_str(), arguments.epsilon,
              arguments.self.c_str());
  std::printf("quantiles  ");
  for (const double level : kLevels) std::printf(" %8.0f%%", 100.0 * level);
  std::printf("\n           ");
  for (const double value : levels) std::printf(" %9.6f", value);
  std::printf("\n");
  for (const ClassScore& score : result.classes) {
    if (arguments.is_per_class) {
      std::printf("class %lld, %s points\n",
                  static_cast<long long>(score.label),
                  with_commas(score.bank_count).c_str());
    }
    std::printf(
        "threshold   %.9g (%s %g%s of %s points)\n", score.threshold.value,
        arguments.threshold.c_str(), score.threshold.level,
        score.threshold.margin != 0.0
            ? (" plus margin " + std::to_string(score.threshold.margin)).c_str()
            : "",
        with_commas(score.threshold.calibration_count).c_str());
    std::printf("above it    %.4f of the %s\n", score.share_above,
                facts.query_rows > 0 ? "queries" : "bank");
    std::printf(
        "self share  %.4f (median; above %.1f a point would mostly "
        "support itself)\n",
        score.median_self_share, kSelfShareWarning);
  }
  std::printf("time        %.3f s, %.3g pairs/s, %zu thread%s, %s",
              facts.seconds, pairs_per_second(facts, result), facts.threads,
              facts.threads == 1 ? "" : "s", simd_target());
  if (result.evaluated_share < 1.0) {
    std::printf(", %.1f %% of the pairs evaluated",
                100.0 * result.evaluated_share);
  }
  std::printf("\n");
  if (!arguments.out.empty()) {
    std::printf("energies    %s\n", arguments.out.c_str());
  }
}

void warn_about_self(const ScoreArguments& arguments, const ScoreResult& result,
                     const Console& console) {
  for (const ClassScore& score : result.classes) {
    if (score.median_self_share <= kSelfShareWarning) continue;
    const std::string where =
        arguments.is_per_class ? "class " + std::to_string(score.label) + ": "
                               : "";
    console.warn(
        where +
        (arguments.self == "include"
             ? "bank points mostly support themselves, so the threshold says "
               "little about fresh points; use --self exclude or a larger "
               "--epsilon"
             : "the bank is sparse at this epsilon (median self share above "
               "0.1); energies stay valid because a point does not support "
               "itself, but a larger --epsilon would be more stable"));
    return;
  }
}

}  // namespace

void report_score(const ScoreArguments& arguments, const ScoreFacts& facts,
                  const ScoreResult& result, const CommonOptions& common) {
  const std::vector<double> levels = quantiles(result.energies, kLevels);
  if (common.is_json) {
    print_json(arguments, facts, result, levels);
  } else {
    print_table(arguments, facts, result, levels);
  }
  warn_about_self(arguments, result, Console(common.is_quiet));
}

}  // namespace sbog::cli
