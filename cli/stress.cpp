// SPDX-License-Identifier: Apache-2.0
// sbog stress: its words, and its result as text.
#include "sbog/job/stress.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "command.h"
#include "json_output.h"
#include "sbog/base/byte_text.h"
#include "sbog/job/stress_files.h"

namespace sbog::cli {
namespace {

using job::failure_word;
using job::group_words;
using job::share_words;

void print_head(const job::StressResult& result) {
  const stress::Verdict& verdict = result.verdict;
  const stress::Outcomes& outcomes = verdict.outcomes;
  const char* word = failure_word(outcomes);
  std::printf("%s: %s\n", to_string(outcomes.task),
              shown_text(result.model).c_str());
  std::printf("threshold %.4g (%s)\n", outcomes.threshold,
              result.threshold_source == "given"
                  ? "given"
                  : ("from the " + result.threshold_source).c_str());
  std::printf("%s: %s cases\n", word,
              share_words(verdict.overall.failures).c_str());
  if (!outcomes.controls.empty()) {
    const char* of_controls =
        outcomes.task == stress::Task::kClassifier ? "controls rejected"
        : outcomes.task == stress::Task::kDetector ? "false alarms"
                                                   : "controls above the limit";
    std::printf("%s: %s controls\n", of_controls,
                share_words(verdict.control_failures).c_str());
  }
  if (outcomes.auroc) {
    std::printf("AUROC of telling cases from controls: %.3f\n",
                *outcomes.auroc);
  }
}

void print_curve(const job::StressResult& result) {
  const stress::Verdict& verdict = result.verdict;
  for (const stress::GroupMeasures& group : verdict.curve) {
    std::printf("  severity %d: %s %s", *group.severity,
                failure_word(verdict.outcomes),
                share_words(group.measures.failures).c_str());
    if (group.measures.median_delay) {
      std::printf(", median delay %g rows", *group.measures.median_delay);
    }
    std::printf("\n");
  }
  if (verdict.curve.empty()) return;
  const auto tell = [&](const char* share, std::optional<int> severity) {
    std::printf("smallest severity with %s %s: %s\n", share,
                failure_word(verdict.outcomes),
                severity ? std::to_string(*severity).c_str() : "none");
  };
  tell("at most 10 %", verdict.severity_passed);
  if (verdict.outcomes.task == stress::Task::kClassifier) {
    tell("less than half", verdict.severity_below_half);
  }
}

void print_spots(const job::StressResult& result) {
  const stress::WeakSpots& weak = result.verdict.weak;
  std::size_t own = 0;
  for (const stress::WeakSpot& spot : weak.spots) own += spot.within ? 0 : 1;
  if (weak.ranked_groups == 0) {
    std::printf("weak spots are not known: no group has 10 cases\n");
    return;
  }
  if (own == 0) {
    std::printf(
        "no weak spot: none of %zu groups fails on more than %g %% of its "
        "cases at the 95 %% level\n",
        weak.ranked_groups, 100.0 * weak.tolerance);
    return;
  }
  std::printf("weak spots (%s more often than in %g %%, of %zu groups):\n",
              failure_word(result.verdict.outcomes), 100.0 * weak.tolerance,
              weak.ranked_groups);
  std::size_t shown = 0;
  for (const stress::WeakSpot& spot : weak.spots) {
    if (spot.within) continue;
    if (shown == result.options.top) break;
    ++shown;
    const stress::GroupMeasures& group = result.verdict.groups[spot.group];
    std::printf("%3zu. %s: %s", shown, shown_text(group_words(group)).c_str(),
                share_words(group.measures.failures).c_str());
    const char* before = "; see case ";
    for (const std::size_t i : spot.clearest) {
      std::printf("%s%zu", before, result.facts[i].row);
      before = ", ";
    }
    std::printf("\n");
  }
  if (own > shown) std::printf("and %zu more in stress.json\n", own - shown);
}

void print_worst_loss(const stress::WorstLosses& worst) {
  std::printf("%12s %20s\n", "radius", "worst expected loss");
  for (const stress::WorstLoss& one : worst.curve) {
    std::printf("%12.5g %20.6g\n", one.radius, one.value);
  }
}

void print_seek(const job::StressSeek& seek) {
  const stress::SeekResult& found = seek.result;
  std::printf("sought with %s calls of the model (%s):\n",
              with_commas(found.calls).c_str(), to_string(found.end));
  for (std::size_t r = 0; r < found.rounds.size(); ++r) {
    const stress::SeekRound& round = found.rounds[r];
    std::printf(
        "  round %zu: expected loss %.4g, worst case %.4g, effective sample "
        "size %.0f\n",
        r + 1, round.mean_loss, round.worst_loss, round.effective_size);
  }
  std::printf("failures: %zu of %zu points at first, %zu of %zu at the end\n",
              seek.failures_before, found.drawn, seek.failures,
              found.points.rows());
}

void print_gates(const job::StressResult& result) {
  for (const stress::GateResult& gate : result.verdict.gates) {
    std::printf("%s  %s", gate.is_passed ? "pass" : "FAIL",
                shown_text(gate.gate.text).c_str());
    if (gate.value) {
      std::printf(" (measured: %.4g)\n", *gate.value);
    } else {
      std::printf(" (nothing to measure it on)\n");
    }
  }
}

}  // namespace

void print_stress(const job::StressResult& result, Session& session) {
  if (session.is_json()) {
    print_json(to_json(result));
    return;
  }
  print_head(result);
  print_curve(result);
  print_spots(result);
  if (result.worst_loss) print_worst_loss(*result.worst_loss);
  if (result.seek) print_seek(*result.seek);
  print_gates(result);
  std::printf("written: stress.json, stress.csv and stress.junit.xml in %s\n",
              shown_text(result.run).c_str());
}

Command stress_command() {
  return job_command(
      {"stress",
       "Ask a model about generated outliers and say where it breaks",
       "  sbog generate demo:bank --labels demo:labels --count 40 --out run && "
       "sbog detect train demo:bank --labels demo:labels --out m.safetensors "
       "&& sbog stress run --model m.safetensors\n"
       "  sbog stress demo:bank --labels demo:labels --count 40 --out cases "
       "--model 'cp {cases} {out}' --task classifier",
       "The cases are the outliers of a run; they are sorted by severity,\n"
       "class, region, and for a series by kind of edit and channel. The "
       "model\n"
       "fails on a case when a detector does not flag it, a classifier "
       "accepts\n"
       "it, or a loss is above the limit. Shares have exact 95 % intervals.\n"
       "Weak spots are groups that fail more often than --tolerance allows;\n"
       "they are ranked by the lower end of the interval. Measures of "
       "--require:\n"
       "failure and auroc for every model; detection, delay (median, in "
       "rows)\n"
       "and false-alarms of a detector; accepted, other and confidence of a\n"
       "classifier; mean, q95 and above of a loss. A requirement that does "
       "not\n"
       "hold is exit code 1. A command is run without a shell and ended with\n"
       "its children at the time limit; what it prints goes to stress.log.",
       {},
       {}},
      job::stress_option_table(), print_stress);
}

}  // namespace sbog::cli
