// SPDX-License-Identifier: Apache-2.0
// See stress_files.h.
#include "sbog/job/stress_files.h"

#include <cstdio>

#include "sbog/base/number_text.h"
#include "sbog/data/csv.h"
#include "sbog/report/safe_text.h"

namespace sbog::job {
namespace {

using stress::GateResult;
using stress::WeakSpot;

std::string delay_text(const stress::CaseOutcome& outcome) {
  return outcome.delay ? std::to_string(*outcome.delay) : "";
}

std::string gate_message(const GateResult& gate) {
  if (!gate.value) {
    return gate.cases == 0 ? "no case is of this group and severity"
                           : "none of " + std::to_string(gate.cases) +
                                 " cases says anything about it";
  }
  char text[96];
  std::snprintf(text, sizeof text, "%.4g is measured on %zu cases or controls",
                *gate.value, gate.cases);
  return text;
}

std::string gate_element(const GateResult& gate) {
  const std::string head = "  <testcase classname=\"gate\" name=\"" +
                           html_text(gate.gate.text) + "\"";
  if (gate.is_passed) return head + "/>\n";
  return head + ">\n    <failure message=\"" + html_text(gate_message(gate)) +
         "\"/>\n  </testcase>\n";
}

std::string spot_element(const StressResult& result, const WeakSpot& spot) {
  const stress::GroupMeasures& group = result.verdict.groups[spot.group];
  const std::string message =
      std::string(failure_word(result.verdict.outcomes)) + ": " +
      share_words(group.measures.failures) + " cases";
  return "  <testcase classname=\"weak-spot\" name=\"" +
         html_text(group_words(group)) + "\">\n    <skipped message=\"" +
         html_text(message) + "\"/>\n  </testcase>\n";
}

}  // namespace

const char* failure_word(const stress::Outcomes& outcomes) {
  switch (outcomes.task) {
    case stress::Task::kDetector:
      return "missed";
    case stress::Task::kLoss:
      return "above the limit";
    case stress::Task::kClassifier:
      break;
  }
  switch (outcomes.failure) {
    case stress::ClassifierFailure::kOther:
      return "taken for another class";
    case stress::ClassifierFailure::kEither:
      return "accepted or taken for another class";
    case stress::ClassifierFailure::kAccepted:
      break;
  }
  return "accepted";
}

std::string group_words(const stress::GroupMeasures& group) {
  std::string words =
      group.grouping.empty() ? "all cases" : group.grouping + " " + group.level;
  if (group.severity) {
    words += " at severity " + std::to_string(*group.severity);
  }
  return words;
}

std::string share_words(const stress::Share& share) {
  char text[96];
  std::snprintf(text, sizeof text, "%.0f %% (95 %%: %.0f to %.0f) of %s",
                100.0 * share.value, 100.0 * share.interval.low,
                100.0 * share.interval.high, with_commas(share.trials).c_str());
  return text;
}

std::string verdict_sentence(const StressResult& result) {
  const stress::Verdict& verdict = result.verdict;
  const char* word = failure_word(verdict.outcomes);
  std::string text =
      share_words(verdict.overall.failures) + " cases are " + word;
  if (!verdict.curve.empty()) {
    text += verdict.severity_passed
                ? ", at most 10 % first at severity " +
                      std::to_string(*verdict.severity_passed)
                : std::string(", more than 10 % at every severity");
  }
  if (verdict.weak.spots.empty()) {
    return text + (verdict.weak.ranked_groups == 0
                       ? "; no group has the 10 cases to be ranked."
                       : "; no group of cases is a weak spot.");
  }
  const stress::GroupMeasures& worst =
      verdict.groups[verdict.weak.spots.front().group];
  return text + "; the weakest spot is " + group_words(worst) + " with " +
         share_words(worst.measures.failures) + ".";
}

std::string stress_table(const StressResult& result) {
  const bool has_windows = result.kind == Kind::kSeries;
  const stress::Outcomes& outcomes = result.verdict.outcomes;
  std::string text = "case,severity,region,anchor_row,";
  text += has_windows ? "kinds,channels," : "class,";
  text += "value,threshold,failure,answer,other_class,delay";
  text += has_windows ? ",sentence\n" : "\n";
  for (std::size_t i = 0; i < result.facts.size(); ++i) {
    const CaseFacts& facts = result.facts[i];
    const stress::CaseOutcome& outcome = outcomes.cases[i];
    const bool has_answer = outcomes.task == stress::Task::kClassifier;
    text += std::to_string(facts.row) + ',' + quote_csv(facts.severity) + ',';
    text += facts.region > 0 ? std::to_string(facts.region) : "";
    text += ',' + std::to_string(facts.anchor_row) + ',';
    text += has_windows
                ? quote_csv(facts.kinds) + ',' + quote_csv(facts.channels)
                : quote_csv(facts.class_name);
    text += ',' + full_digits(outcome.value) + ',' +
            full_digits(outcomes.threshold) + ',';
    text += outcome.is_failure ? "1," : "0,";
    text += (has_answer ? std::to_string(outcome.answer) : "") + ',';
    text += (outcomes.knows_classes ? (outcome.is_other ? "1" : "0") : "");
    text += ',' + delay_text(outcome);
    if (has_windows) text += ',' + quote_csv(facts.sentence);
    text += '\n';
  }
  return text;
}

std::string stress_junit(const StressResult& result) {
  std::string cases;
  std::size_t count = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;
  for (const GateResult& gate : result.verdict.gates) {
    cases += gate_element(gate);
    ++count;
    failures += gate.is_passed ? 0 : 1;
  }
  for (const WeakSpot& spot : result.verdict.weak.spots) {
    if (spot.within) continue;
    cases += spot_element(result, spot);
    ++count;
    ++skipped;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "
         "name=\"sbog stress\" tests=\"" +
         std::to_string(count) + "\" failures=\"" + std::to_string(failures) +
         "\" skipped=\"" + std::to_string(skipped) + "\" errors=\"0\">\n" +
         cases + "</testsuite>\n";
}

}  // namespace sbog::job
