// SPDX-License-Identifier: Apache-2.0
// Answers of the three kinds of model against counts by hand.
#include "sbog/stress/outcomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbog/base/errors.h"

namespace sbog::stress {
namespace outcomes_test {

using ::testing::HasSubstr;

Matrix<double> rows(const std::vector<std::vector<double>>& values) {
  Matrix<double> matrix(values.size(), values.empty() ? 0 : values[0].size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::copy(values[i].begin(), values[i].end(), matrix.row(i).begin());
  }
  return matrix;
}

// 0, 1, ..., count - 1.
Matrix<double> ramp(std::size_t count) {
  Matrix<double> matrix(count, 1);
  for (std::size_t i = 0; i < count; ++i) matrix(i, 0) = static_cast<double>(i);
  return matrix;
}

Cases plain(std::size_t count) {
  Cases cases;
  cases.count = count;
  return cases;
}

Outcomes read(const Cases& cases, const Matrix<double>& answers,
              const Matrix<double>& controls, const AnswerRules& rules) {
  return read_answers(cases, answers.view(), controls.view(), rules);
}

TEST(StressOutcomes, a_detector_flags_what_one_control_in_a_hundred_exceeds) {
  const Outcomes o =
      read(plain(3), rows({{198}, {197}, {500}}), ramp(200), AnswerRules());
  // 198 and 199 are the two of 200 controls above 197.
  EXPECT_EQ(o.threshold, 197.0);
  EXPECT_EQ(o.control_failures, 2u);
  EXPECT_FALSE(o.cases[0].is_failure);
  EXPECT_TRUE(o.cases[1].is_failure);
  EXPECT_FALSE(o.cases[2].is_failure);
  EXPECT_FALSE(o.cases[0].delay.has_value());
  // Pairs won, with halves for ties: 198.5 + 197.5 + 200 of 600.
  EXPECT_NEAR(*o.auroc, 596.0 / 600.0, 1e-12);
}

TEST(StressOutcomes, a_window_is_detected_after_it_changes_and_not_before) {
  Cases cases = plain(3);
  cases.first_changed = {2, 1, 0};
  AnswerRules rules;
  rules.threshold = 5.0;
  const Outcomes o =
      read(cases, rows({{9, 9, 0, 6}, {9, 0, 0, 5}, {0, 0, 7, 0}}),
           rows({{0, 0, 0, 0}, {9, 0, 0, 0}}), rules);
  EXPECT_FALSE(o.cases[0].is_failure);
  EXPECT_EQ(o.cases[0].delay, 1u);
  EXPECT_EQ(o.cases[0].value, 6.0);
  EXPECT_TRUE(o.cases[1].is_failure);
  EXPECT_FALSE(o.cases[1].delay.has_value());
  EXPECT_EQ(o.cases[2].delay, 2u);
  EXPECT_EQ(o.control_failures, 1u);
  EXPECT_TRUE(o.is_threshold_given);
}

TEST(StressOutcomes, a_classifier_accepts_what_its_controls_are_accepted_by) {
  // Confidences of controls 0.50, 0.51, ..., 0.69: one of twenty lies below
  // 0.51.
  Matrix<double> controls(20, 2);
  for (std::size_t i = 0; i < 20; ++i) {
    controls(i, 0) = 0.50 + 0.01 * static_cast<double>(i);
    controls(i, 1) = 1.0 - controls(i, 0);
  }
  Cases cases = plain(4);
  cases.classes = {0, 0, 1, 1};
  AnswerRules rules;
  rules.task = Task::kClassifier;
  const Matrix<double> answers =
      rows({{0.505, 0.495}, {0.9, 0.1}, {0.9, 0.1}, {0.495, 0.505}});
  const Outcomes o = read(cases, answers, controls, rules);
  EXPECT_FALSE(o.were_logits);
  EXPECT_DOUBLE_EQ(o.threshold, 0.51);
  EXPECT_EQ(o.control_failures, 1u);
  EXPECT_FALSE(o.cases[0].is_failure);
  EXPECT_TRUE(o.cases[1].is_failure);
  EXPECT_FALSE(o.cases[1].is_other);
  EXPECT_TRUE(o.cases[2].is_other);
  EXPECT_EQ(o.cases[3].answer, 1u);
  rules.failure = ClassifierFailure::kOther;
  const Outcomes other = read(cases, answers, controls, rules);
  EXPECT_FALSE(other.cases[1].is_failure);
  EXPECT_TRUE(other.cases[2].is_failure);
  rules.failure = ClassifierFailure::kEither;
  EXPECT_TRUE(read(cases, answers, controls, rules).cases[1].is_failure);
}

TEST(StressOutcomes, logits_become_probabilities) {
  AnswerRules rules;
  rules.task = Task::kClassifier;
  rules.threshold = 0.7;
  const Outcomes o = read(plain(2), rows({{0, std::log(3.0)}, {800, 0}}),
                          rows({{2, 1}}), rules);
  EXPECT_TRUE(o.were_logits);
  EXPECT_NEAR(o.cases[0].value, 0.75, 1e-12);
  EXPECT_EQ(o.cases[0].answer, 1u);
  EXPECT_NEAR(o.cases[1].value, 1.0, 1e-12);
  EXPECT_FALSE(o.knows_classes);
}

TEST(StressOutcomes, a_loss_fails_above_the_95_percent_quantile) {
  AnswerRules rules;
  rules.task = Task::kLoss;
  const Outcomes o = read(plain(2), rows({{94}, {94.5}}), ramp(100), rules);
  EXPECT_EQ(o.threshold, 94.0);
  EXPECT_FALSE(o.cases[0].is_failure);
  EXPECT_TRUE(o.cases[1].is_failure);
  EXPECT_EQ(o.control_failures, 5u);
}

void expect_refused(const Cases& cases, const Matrix<double>& answers,
                    const Matrix<double>& controls, const AnswerRules& rules,
                    const char* words) {
  try {
    read(cases, answers, controls, rules);
    FAIL() << "nothing was thrown for: " << words;
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(StressOutcomes, answers_that_do_not_fit_are_refused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  AnswerRules rules;
  expect_refused(plain(3), ramp(2), ramp(9), rules, "each of 3 cases");
  expect_refused(plain(2), rows({{1}, {nan}}), ramp(9), rules, "case 1 is NaN");
  expect_refused(plain(2), ramp(2), rows({{nan}}), rules, "control 0 is NaN");
  expect_refused(plain(2), ramp(2), Matrix<double>(), rules,
                 "controls are expected");
  expect_refused(plain(1), rows({{1, 2}}), Matrix<double>(), rules,
                 "one score per case");
  expect_refused(plain(1), rows({{1}}), rows({{1, 2}}), rules, "columns");
  rules.task = Task::kClassifier;
  expect_refused(plain(2), ramp(2), ramp(9), rules, "a column per class");
  expect_refused(plain(1), rows({{inf, 0}}), Matrix<double>(), rules,
                 "case 0 is infinite");
  rules.failure = ClassifierFailure::kOther;
  expect_refused(plain(1), rows({{1, 0}}), rows({{1, 0}}), rules,
                 "class of each case");
  rules.task = Task::kLoss;
  expect_refused(plain(1), rows({{1, 0}}), Matrix<double>(), rules,
                 "one loss per case");
}

TEST(StressOutcomes, names_go_both_ways) {
  for (const char* name : {"classifier", "detector", "loss"}) {
    EXPECT_STREQ(to_string(parse_task(name)), name);
  }
  for (const char* name : {"accepted", "other", "either"}) {
    EXPECT_STREQ(to_string(parse_classifier_failure(name)), name);
  }
  EXPECT_THROW(parse_task("regressor"), InvalidArgument);
}

}  // namespace outcomes_test
}  // namespace sbog::stress
