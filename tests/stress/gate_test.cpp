// SPDX-License-Identifier: Apache-2.0
// Requirements as sentences.
#include "sbog/stress/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::stress {
namespace gate_test {

using ::testing::HasSubstr;

const std::vector<std::string> kGroupings = {"class", "kind", "channel",
                                             "kind x channel"};

void expect_refused(const std::string& text, const char* words) {
  try {
    parse_gate(text, kGroupings);
    FAIL() << "nothing was thrown for: " << text;
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr(words)) << text;
    EXPECT_THAT(error.what(), HasSubstr("'" + text + "'"));
  }
}

TEST(Gate, a_sentence_is_understood_in_any_order) {
  const Gate plain = parse_gate("detection>=.9", kGroupings);
  EXPECT_EQ(plain.measure, "detection");
  EXPECT_EQ(plain.comparison, Comparison::kAtLeast);
  EXPECT_DOUBLE_EQ(plain.required, 0.9);
  EXPECT_FALSE(plain.severity.has_value());
  for (const char* text :
       {"accepted < 5 % at severity 2 for kind x channel level x flow rate",
        " accepted < 5% for kind x channel level x flow rate at severity 2"}) {
    const Gate gate = parse_gate(text, kGroupings);
    EXPECT_EQ(gate.comparison, Comparison::kBelow);
    EXPECT_DOUBLE_EQ(gate.required, 0.05);
    EXPECT_EQ(gate.severity, 2);
    EXPECT_EQ(gate.grouping, "kind x channel");
    EXPECT_EQ(gate.level, "level x flow rate");
  }
  EXPECT_EQ(parse_gate("false_alarms <= 0.02", kGroupings).measure,
            "false-alarms");
  EXPECT_EQ(parse_gate("delay > 3", kGroupings).comparison, Comparison::kAbove);
}

TEST(Gate, what_is_not_understood_is_named) {
  expect_refused("detection", ">=");
  expect_refused("detektion >= 0.9", "'detektion'");
  expect_refused("detection >= much", "'much'");
  expect_refused("detection >= nan", "'nan'");
  expect_refused("detection >= 0.9 at severity two", "'two'");
  expect_refused("detection >= 0.9 for colour red", "class, kind");
  expect_refused("detection >= 0.9 for class", "class, kind");
  expect_refused("auroc >= 0.9 at severity 2", "one number for all");
}

TEST(Gate, a_measure_must_be_one_of_the_task) {
  check_gate(parse_gate("detection >= 1", {}), Task::kDetector);
  check_gate(parse_gate("failure <= 1", {}), Task::kLoss);
  EXPECT_THROW(check_gate(parse_gate("detection >= 1", {}), Task::kClassifier),
               InvalidArgument);
  EXPECT_THROW(check_gate(parse_gate("accepted >= 1", {}), Task::kLoss),
               InvalidArgument);
}

struct World {
  Cases cases;
  Outcomes outcomes;
};

// Four cases of severities 1, 1, 2, 2; the first and third are missed.
World four() {
  World world;
  world.cases.count = 4;
  world.cases.severities = {1, 1, 2, 2};
  world.cases.groupings = {{"class", {"0", "1"}, {{0, 1, 2}, {3}}}};
  for (const bool is_failure : {true, false, true, false}) {
    CaseOutcome c;
    c.is_failure = is_failure;
    c.value = is_failure ? 0.0 : 2.0;
    if (!is_failure) c.delay = 3;
    world.outcomes.cases.push_back(c);
  }
  world.outcomes.threshold = 1.0;
  world.outcomes.controls = {0, 0, 0, 5};
  world.outcomes.control_failures = 1;
  world.outcomes.auroc = 0.625;
  return world;
}

GateResult applied(const std::string& text) {
  const World world = four();
  return apply_gate(parse_gate(text, kGroupings), world.cases, world.outcomes);
}

TEST(Gate, values_are_those_of_the_named_cases) {
  EXPECT_TRUE(applied("detection >= 0.5").is_passed);
  EXPECT_FALSE(applied("detection > 0.5").is_passed);
  EXPECT_TRUE(applied("failure <= 50 % at severity 2").is_passed);
  const GateResult one = applied("detection >= 0.5 for class 0");
  EXPECT_FALSE(one.is_passed);
  EXPECT_EQ(one.cases, 3u);
  EXPECT_NEAR(*one.value, 1.0 / 3.0, 1e-15);
  EXPECT_TRUE(one.interval.has_value());
  EXPECT_TRUE(applied("detection >= 1 at severity 2 for class 1").is_passed);
  EXPECT_TRUE(applied("delay <= 3").is_passed);
  EXPECT_TRUE(applied("auroc >= 0.6").is_passed);
  EXPECT_EQ(*applied("false-alarms <= 0.3").value, 0.25);
}

TEST(Gate, what_nobody_was_asked_about_is_not_passed) {
  for (const char* text :
       {"failure <= 1 at severity 3", "failure <= 1 for class 7",
        "failure <= 1 for kind level", "delay <= 99 at severity 3"}) {
    const GateResult result = applied(text);
    EXPECT_FALSE(result.is_passed) << text;
    EXPECT_FALSE(result.value.has_value()) << text;
    EXPECT_EQ(result.cases, 0u) << text;
  }
}

}  // namespace gate_test
}  // namespace sbog::stress
