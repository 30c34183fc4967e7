// SPDX-License-Identifier: Apache-2.0
// sbog score and sbog merge: their words, and their results as text.
#include "sbog/job/score.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "json_output.h"

namespace sbog::cli {
namespace {

void print_quantiles(const job::ScoreResult& result) {
  const std::vector<double> levels = job::summary_levels();
  std::printf("quantiles  ");
  for (const double level : levels) std::printf(" %8.0f%%", 100.0 * level);
  std::printf("\n           ");
  for (const double value : quantiles(result.scores.energies, levels)) {
    std::printf(" %9.6f", value);
  }
  std::printf("\n");
}

void print_class(const ClassScore& score, const job::ScoreResult& result) {
  if (result.options.energy.per_class) {
    std::printf("class %lld, %s points\n", static_cast<long long>(score.label),
                with_commas(score.bank_count).c_str());
  }
  const std::string margin =
      score.threshold.margin != 0.0
          ? " plus margin " + std::to_string(score.threshold.margin)
          : "";
  std::printf(
      "epsilon     %s\n",
      job::support_words(score.epsilon, result.options.energy.epsilon.is_auto(),
                         score.perplexity)
          .c_str());
  std::printf("threshold   %.9g (%s %g%s of %s points)\n",
              score.threshold.value, result.options.threshold.c_str(),
              score.threshold.level, margin.c_str(),
              with_commas(score.threshold.calibration_count).c_str());
  std::printf(
      "outliers    %.4f of the %s above the threshold %.4g (level %g)\n",
      score.share_above, result.query_rows > 0 ? "queries" : "bank",
      score.threshold.value, score.threshold.level);
}

void print_score(const job::ScoreResult& result, Session& session) {
  if (!result.options.shard.empty()) return;
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  const job::ScoreOptions& o = result.options;
  std::printf("bank        %s points, dimension %zu",
              with_commas(result.bank_rows).c_str(), result.dim);
  if (result.mean_cosine) {
    std::printf(", mean cosine %.2f%s", *result.mean_cosine,
                o.centre ? " before centring" : "");
  }
  std::printf("\n");
  if (result.query_rows > 0) {
    std::printf("queries     %s points\n",
                with_commas(result.query_rows).c_str());
  }
  std::printf("energy      %s cost%s, self %s\n", o.energy.cost.c_str(),
              o.centre ? " of centred points" : "",
              o.energy.includes_self ? "include" : "exclude");
  print_quantiles(result);
  for (const ClassScore& score : result.scores.classes) {
    print_class(score, result);
  }
  std::printf("time        %.3f s, %.3g pairs/s, %zu thread%s, %s",
              result.seconds, result.pairs_per_second(), result.threads,
              result.threads == 1 ? "" : "s", simd_target());
  if (result.scores.evaluated_share < 1.0) {
    std::printf(", %.1f %% of the pairs evaluated",
                100.0 * result.scores.evaluated_share);
  }
  std::printf("\n");
  if (!o.out.empty()) std::printf("energies    %s\n", o.out.c_str());
}

void print_merge(const job::MergeResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
  } else {
    std::printf("energies of %s points in %s\n",
                with_commas(result.points).c_str(), result.options.out.c_str());
  }
}

}  // namespace

Command score_command() {
  return job_command(
      {"score",
       "Energies of a bank or of queries, threshold and quantiles",
       "  sbog score demo:bank\n"
       "  sbog score demo:bank --queries demo:queries --threshold conformal",
       "Files: .npy, .npz:name, .csv, .safetensors:name, .idx (also .gz);\n"
       "demo:bank, demo:labels and demo:queries are built in.",
       {},
       {}},
      job::score_option_table(), print_score);
}

Command merge_command() {
  return job_command(
      {"merge",
       "Energies from the states of all shards of a bank",
       "  sbog score demo:bank --shard 0/2 --state a.state && "
       "sbog score demo:bank --shard 1/2 --state b.state && "
       "sbog merge a.state b.state --out energies.npy\n"
       "  sbog score demo:bank --shard 0/1 --state all.state && "
       "sbog merge all.state --out energies.npy --json",
       "The result has the same bytes as scoring the bank in one piece.",
       {},
       {}},
      job::merge_option_table(), print_merge);
}

}  // namespace sbog::cli
