// SPDX-License-Identifier: Apache-2.0
// How a class went, as the manifest says it.
#include "sbog/run/class_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sbog {
namespace class_json_test {

TEST(ClassJson, tallies_add_up_and_untried_anchors_are_left_out) {
  ClassReport report;
  report.label = 4;
  report.requested = 10;
  report.produced = 8;
  report.rounds = {5, 3, 0, 0};
  report.anchor_rows = {11, 12, 13};
  report.anchor_scores = {0.1, 0.2, 0.3};
  report.tallies.resize(3);
  report.tallies[0].draws = 4;
  report.tallies[0].failures.proposals = 40;
  report.tallies[2].draws = 6;
  report.tallies[2].successes = 3;
  report.tallies[2].failures.proposals = 60;
  const nlohmann::json json = class_json(report);
  EXPECT_EQ(json.at("label"), 4);
  EXPECT_EQ(json.at("requested"), 10);
  EXPECT_EQ(json.at("produced"), 8);
  EXPECT_EQ(json.at("anchor_count"), 3);
  EXPECT_EQ(json.at("round_draws"), 10);
  EXPECT_EQ(json.at("round_successes"), 3);
  EXPECT_EQ(json.at("proposals"), 100);
  EXPECT_EQ(json.at("rounds"), nlohmann::json({5, 3}));
  ASSERT_EQ(json.at("anchors").size(), 2u);
  EXPECT_EQ(json.at("anchors")[1].at("row"), 13);
}

}  // namespace class_json_test
}  // namespace sbog
