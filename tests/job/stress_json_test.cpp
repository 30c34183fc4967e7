// SPDX-License-Identifier: Apache-2.0
// stress.json: numbers that have none are null, and what is not there is left
// out.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "sbog/job/stress.h"

namespace sbog::job {
namespace stress_json_test {

StressResult small_result(stress::Task task) {
  StressResult result;
  result.facts.resize(2);
  stress::Cases cases;
  cases.count = 2;
  stress::VerdictOptions options;
  options.rules.task = task;
  options.rules.threshold = 0.5;
  options.gates = {stress::parse_gate("failure <= 1 at severity 4", {})};
  Matrix<double> answers(2, task == stress::Task::kClassifier ? 2 : 1);
  answers(0, 0) = 1.0;
  if (task == stress::Task::kClassifier) answers(1, 1) = 1.0;
  result.verdict = judge(cases, answers.view(), {}, options);
  return result;
}

TEST(StressJson, a_detector_has_detection_and_no_acceptance) {
  const auto json = to_json(small_result(stress::Task::kDetector));
  EXPECT_EQ(json["overall"]["detection"], 0.5);
  EXPECT_TRUE(json["overall"]["median_delay"].is_null());
  EXPECT_FALSE(json["overall"].contains("accepted"));
  EXPECT_TRUE(json["auroc"].is_null());
  EXPECT_TRUE(json["gates"][0]["value"].is_null());
  EXPECT_FALSE(json["gates"][0]["passed"].get<bool>());
  EXPECT_TRUE(json["severities"].empty());
  EXPECT_FALSE(json.contains("seek"));
  EXPECT_FALSE(json.contains("worst_loss"));
}

TEST(StressJson, a_classifier_has_acceptance_and_a_loss_its_quantile) {
  const auto accepted = to_json(small_result(stress::Task::kClassifier));
  EXPECT_EQ(accepted["overall"]["accepted"]["count"], 2);
  EXPECT_FALSE(accepted["overall"].contains("other_class"));
  EXPECT_EQ(accepted["overall"]["mean_confidence"], 1.0);
  const auto loss = to_json(small_result(stress::Task::kLoss));
  EXPECT_NEAR(loss["overall"]["quantile_95"].get<double>(), 0.95, 1e-12);
}

TEST(StressJson, seeking_and_endless_numbers_are_told) {
  StressResult result = small_result(stress::Task::kDetector);
  result.seek.emplace();
  result.seek->result.rounds.push_back(
      {10, 10, 0.5, 0.75, std::numeric_limits<double>::infinity(), 5.0});
  const auto json = to_json(result);
  EXPECT_EQ(json["seek"]["rounds"][0]["lambda"], "inf");
  EXPECT_EQ(json["seek"]["rounds"][0]["effective_sample_size"], 5.0);
  EXPECT_FALSE(json["seek"].contains("file"));
}

}  // namespace stress_json_test
}  // namespace sbog::job
