// SPDX-License-Identifier: Apache-2.0
// How a class went, as the manifest says it, and numbers beyond JSON.
#include "sbog/run/run_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "sbog/base/errors.h"

namespace sbog {
namespace run_json_test {

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

TEST(CheckManifest, entries_of_another_kind_are_named) {
  const auto refusal = [](const char* text) {
    try {
      check_manifest(nlohmann::json::parse(text), "m.json");
    } catch (const IoError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(R"({"state": "complete", "seed": 3, "level": 0.5,
                        "classes": [{"label": -2, "threshold": null}],
                        "ranges": [[0, 1.5]], "channels": ["a"],
                        "of_later": {}})"),
            "");
  EXPECT_EQ(refusal("[]"), "m.json: is not the manifest of a run");
  EXPECT_EQ(refusal(R"({"seed": "x"})"),
            "m.json: 'seed' is not a whole number of at least 0");
  EXPECT_EQ(refusal(R"({"requested": -1})"),
            "m.json: 'requested' is not a whole number of at least 0");
  EXPECT_EQ(refusal(R"({"classes": 3})"),
            "m.json: 'classes' is not a list of classes");
  EXPECT_EQ(refusal(R"({"classes": [{}, {"label": 1.5}]})"),
            "m.json: 'classes[1].label' is not a whole number");
  EXPECT_EQ(refusal(R"({"ranges": [[1]]})"),
            "m.json: 'ranges' is not a list of pairs of numbers");
}

TEST(StoredJson, what_is_nested_deeper_than_a_run_writes_is_no_json) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  EXPECT_FALSE(parse_stored_json(nested(30)).is_discarded());
  EXPECT_TRUE(parse_stored_json(nested(40)).is_discarded());
  EXPECT_TRUE(parse_stored_json(nested(1000000)).is_discarded());
  EXPECT_TRUE(parse_stored_json(std::string(1000000, '[')).is_discarded());
  EXPECT_TRUE(parse_stored_json("[1, 2").is_discarded());
}

TEST(JsonNumbers, what_json_has_no_word_for_is_null_or_a_word) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(finite_or_null(0.5), 0.5);
  EXPECT_TRUE(finite_or_null(inf).is_null());
  EXPECT_TRUE(finite_or_null(nan).is_null());
  EXPECT_EQ(number_or_word(-2.0), -2.0);
  EXPECT_EQ(number_or_word(inf), "inf");
  EXPECT_EQ(number_or_word(-inf), "-inf");
  EXPECT_TRUE(number_or_word(nan).is_null());
}

}  // namespace run_json_test
}  // namespace sbog
