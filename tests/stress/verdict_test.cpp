// SPDX-License-Identifier: Apache-2.0
// The whole verdict on models that are wrong by construction.
#include "sbog/stress/verdict.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog::stress {
namespace verdict_test {

constexpr std::size_t kClasses = 4;
constexpr std::size_t kCases = 200;

Cases classes() {
  Cases cases;
  cases.count = kCases;
  GroupingBuilder groups("class");
  for (std::size_t i = 0; i < kCases; ++i) {
    cases.classes.push_back(i % kClasses);
    cases.severities.emplace_back(1 + static_cast<int>(i / (kCases / 2)));
    groups.add(i, std::to_string(i % kClasses));
  }
  cases.groupings.push_back(std::move(groups).finish());
  return cases;
}

// Probabilities with a confidence in [low, low + 0.1) for one of the classes.
void answer(Matrix<double>& answers, std::size_t i, std::size_t cls,
            double low) {
  const double confidence = low + 0.1 * PhiloxStream(3, 0, 0, i).uniform(0);
  for (std::size_t c = 0; c < kClasses; ++c) {
    answers(i, c) = c == cls ? confidence : (1.0 - confidence) / (kClasses - 1);
  }
}

TEST(StressVerdict, a_classifier_that_accepts_all_of_class_2_is_found) {
  Matrix<double> answers(kCases, kClasses);
  Matrix<double> controls(kCases, kClasses);
  for (std::size_t i = 0; i < kCases; ++i) {
    const std::size_t cls = i % kClasses;
    answer(answers, i, cls, cls == 2 ? 0.85 : 0.4);
    answer(controls, i, cls, 0.8);
  }
  VerdictOptions options;
  options.rules.task = Task::kClassifier;
  options.gates = {parse_gate("accepted <= 0.3", {}),
                   parse_gate("accepted <= 0.3 for class 2", {"class"})};
  const Verdict verdict =
      judge(classes(), answers.view(), controls.view(), options);
  ASSERT_FALSE(verdict.weak.spots.empty());
  const GroupMeasures& first = verdict.groups[verdict.weak.spots[0].group];
  EXPECT_EQ(first.grouping, "class");
  EXPECT_EQ(first.level, "2");
  EXPECT_EQ(first.measures.accepted->value, 1.0);
  EXPECT_EQ(verdict.overall.other->hits, 0u);
  EXPECT_EQ(verdict.overall.failures.hits, kCases / kClasses);
  ASSERT_EQ(verdict.gates.size(), 2u);
  EXPECT_TRUE(verdict.gates[0].is_passed);
  EXPECT_FALSE(verdict.gates[1].is_passed);
  EXPECT_FALSE(verdict.is_passed());
  EXPECT_EQ(verdict.severity_below_half, 1);
  EXPECT_EQ(verdict.curve.size(), 2u);
  EXPECT_EQ(verdict.control_failures.trials, kCases);
}

TEST(StressVerdict, a_gate_of_another_task_is_refused) {
  VerdictOptions options;
  options.gates = {parse_gate("accepted <= 0.3", {})};
  const Matrix<double> scores(kCases, 1);
  EXPECT_THROW((void)judge(classes(), scores.view(), scores.view(), options),
               InvalidArgument);
}

}  // namespace verdict_test
}  // namespace sbog::stress
