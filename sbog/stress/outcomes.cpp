// SPDX-License-Identifier: Apache-2.0
// See outcomes.h.
#include "sbog/stress/outcomes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/metrics/detection.h"

namespace sbog::stress {
namespace {

constexpr double kAcceptedControls = 0.95;
constexpr double kFlaggedControls = 0.01;
constexpr double kHighLosses = 0.05;
// Probabilities may come in half precision.
constexpr double kSumTolerance = 5e-3;

constexpr std::array<const char*, 3> kTasks = {"classifier", "detector",
                                               "loss"};
constexpr std::array<const char*, 3> kFailures = {"accepted", "other",
                                                  "either"};

template <typename Enum>
Enum parse_name(std::string_view name, const std::array<const char*, 3>& names,
                const char* what) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<Enum>(i);
  }
  throw InvalidArgument(std::string(what) + ": one of " + names[0] + ", " +
                        names[1] + " and " + names[2] + " is expected, got '" +
                        std::string(name) + "'");
}

void check_numbers(MatrixView<const double> answers, const char* what,
                   Task task) {
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    for (const double x : answers.row(i)) {
      const bool is_endless =
          std::isinf(x) && task != Task::kDetector && x > 0.0;
      if (!std::isnan(x) && !is_endless) continue;
      throw InvalidArgument("stress: the answer to " + std::string(what) + " " +
                            std::to_string(i) + " is " +
                            (is_endless ? "infinite" : "NaN"));
    }
  }
}

void check_shapes(const Cases& cases, MatrixView<const double> answers,
                  MatrixView<const double> controls, const AnswerRules& rules) {
  const auto fail = [](const std::string& what) {
    throw InvalidArgument("stress: " + what);
  };
  if (answers.rows() != cases.count || cases.count == 0) {
    fail("an answer to each of " + std::to_string(cases.count) +
         " cases is expected, got " + std::to_string(answers.rows()));
  }
  if (controls.rows() > 0 && controls.cols() != answers.cols()) {
    fail("answers to controls have " + std::to_string(controls.cols()) +
         " columns, those to cases " + std::to_string(answers.cols()));
  }
  const std::size_t columns = answers.cols();
  if (rules.task == Task::kClassifier && columns < 2) {
    fail("a classifier answers with a column per class, got one column");
  }
  if (rules.task == Task::kLoss && columns != 1) {
    fail("one loss per case is expected, got " + std::to_string(columns));
  }
  if (rules.task == Task::kDetector && columns > 1) {
    if (cases.first_changed.empty()) {
      fail("one score per case is expected, got " + std::to_string(columns));
    }
    for (const std::size_t first : cases.first_changed) {
      if (first >= columns) fail("a window changes after its last score");
    }
  }
}

// Whether a row is not one of probabilities.
bool has_logits(MatrixView<const double> answers) {
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    double sum = 0.0;
    for (const double x : answers.row(i)) {
      if (x < -kSumTolerance || x > 1.0 + kSumTolerance) return true;
      sum += x;
    }
    if (std::abs(sum - 1.0) > kSumTolerance) return true;
  }
  return false;
}

struct Decision {
  std::size_t column = 0;
  double confidence = 0.0;
};

Decision decide(std::span<const double> row, bool is_logits) {
  const auto best = std::max_element(row.begin(), row.end());
  Decision decision{static_cast<std::size_t>(best - row.begin()), *best};
  if (!is_logits) return decision;
  double sum = 0.0;
  for (const double x : row) sum += std::exp(x - *best);
  decision.confidence = 1.0 / sum;
  return decision;
}

double window_score(std::span<const double> row, std::size_t first) {
  const auto rest = row.subspan(row.size() > 1 ? first : 0);
  return *std::max_element(rest.begin(), rest.end());
}

// The value that at most `share` of the values exceed, as large as a value.
double exceeded_by(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto above = static_cast<std::size_t>(
      std::floor(share * static_cast<double>(values.size()) + 1e-9));
  return values[values.size() - 1 - std::min(above, values.size() - 1)];
}

double threshold_of(const AnswerRules& rules,
                    const std::vector<double>& controls) {
  if (rules.threshold) return *rules.threshold;
  if (controls.empty()) {
    throw InvalidArgument(
        "stress: controls are expected, or a threshold in their place");
  }
  switch (rules.task) {
    case Task::kClassifier: {
      // Of the negatives, so that a tie at kappa is accepted.
      std::vector<double> negatives(controls.size());
      std::ranges::transform(controls, negatives.begin(), std::negate<>());
      return -exceeded_by(std::move(negatives), 1.0 - kAcceptedControls);
    }
    case Task::kDetector:
      return exceeded_by(controls, kFlaggedControls);
    case Task::kLoss:
      break;
  }
  return exceeded_by(controls, kHighLosses);
}

bool fails_at(Task task, double value, double threshold) {
  switch (task) {
    case Task::kClassifier:
      return value >= threshold;
    case Task::kDetector:
      return value <= threshold;
    case Task::kLoss:
      break;
  }
  return value > threshold;
}

std::optional<std::size_t> delay_of(std::span<const double> row,
                                    std::size_t first, double threshold) {
  for (std::size_t t = first; t < row.size(); ++t) {
    if (row[t] > threshold) return t - first;
  }
  return std::nullopt;
}

std::vector<double> control_values(MatrixView<const double> answers,
                                   const Outcomes& outcomes) {
  std::vector<double> values;
  for (std::size_t i = 0; i < answers.rows(); ++i) {
    values.push_back(
        outcomes.task == Task::kClassifier
            ? decide(answers.row(i), outcomes.were_logits).confidence
            : window_score(answers.row(i), 0));
  }
  return values;
}

CaseOutcome outcome_of(const Cases& cases, std::size_t i,
                       std::span<const double> row, const Outcomes& all) {
  CaseOutcome outcome;
  if (all.task == Task::kClassifier) {
    const Decision decision = decide(row, all.were_logits);
    outcome.value = decision.confidence;
    outcome.answer = decision.column;
    outcome.is_other = all.knows_classes && decision.column != cases.classes[i];
    const bool is_accepted = fails_at(all.task, outcome.value, all.threshold);
    outcome.is_failure =
        (all.failure != ClassifierFailure::kOther && is_accepted) ||
        (all.failure != ClassifierFailure::kAccepted && outcome.is_other);
    outcome.clearness = outcome.value;
    return outcome;
  }
  const std::size_t first =
      cases.first_changed.empty() ? 0 : cases.first_changed[i];
  outcome.value = window_score(row, first);
  outcome.is_failure = fails_at(all.task, outcome.value, all.threshold);
  outcome.clearness =
      all.task == Task::kDetector ? -outcome.value : outcome.value;
  if (all.task == Task::kDetector && row.size() > 1) {
    outcome.delay = delay_of(row, first, all.threshold);
  }
  return outcome;
}

// A classifier and a detector tell cases by a lower confidence, a higher score.
std::optional<double> auroc_of(const Outcomes& outcomes) {
  const double sign = outcomes.task == Task::kClassifier ? -1.0 : 1.0;
  std::vector<double> positives;
  std::vector<double> negatives;
  for (const CaseOutcome& c : outcomes.cases)
    positives.push_back(sign * c.value);
  for (const double x : outcomes.controls) negatives.push_back(sign * x);
  return auroc(positives, negatives);
}

}  // namespace

const char* to_string(Task task) {
  return kTasks[static_cast<std::size_t>(task)];
}

Task parse_task(std::string_view name) {
  return parse_name<Task>(name, kTasks, "task");
}

const char* to_string(ClassifierFailure failure) {
  return kFailures[static_cast<std::size_t>(failure)];
}

ClassifierFailure parse_classifier_failure(std::string_view name) {
  return parse_name<ClassifierFailure>(name, kFailures, "failure");
}

Outcomes read_answers(const Cases& cases, MatrixView<const double> answers,
                      MatrixView<const double> control_answers,
                      const AnswerRules& rules) {
  check_cases(cases);
  check_shapes(cases, answers, control_answers, rules);
  check_numbers(answers, "case", rules.task);
  check_numbers(control_answers, "control", rules.task);
  Outcomes outcomes;
  outcomes.task = rules.task;
  outcomes.failure = rules.failure;
  outcomes.is_threshold_given = rules.threshold.has_value();
  if (rules.task == Task::kClassifier) {
    outcomes.were_logits = has_logits(answers) || has_logits(control_answers);
    outcomes.knows_classes = !cases.classes.empty();
    if (!outcomes.knows_classes &&
        rules.failure != ClassifierFailure::kAccepted) {
      throw InvalidArgument(
          "stress: the class of each case is expected where another class is "
          "a failure");
    }
  }
  outcomes.controls = control_values(control_answers, outcomes);
  outcomes.threshold = threshold_of(rules, outcomes.controls);
  for (std::size_t i = 0; i < cases.count; ++i) {
    outcomes.cases.push_back(outcome_of(cases, i, answers.row(i), outcomes));
  }
  for (const double value : outcomes.controls) {
    // A control that is accepted, or not flagged, is as it should be.
    const bool is_at = fails_at(rules.task, value, outcomes.threshold);
    const bool is_wrong = rules.task == Task::kLoss ? is_at : !is_at;
    outcomes.control_failures += is_wrong ? 1 : 0;
  }
  outcomes.auroc = auroc_of(outcomes);
  return outcomes;
}

}  // namespace sbog::stress
