// SPDX-License-Identifier: Apache-2.0
// Means over entities and seeds, on cells whose means are known.
#include "paper/series_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sbog::paper {
namespace series_summary_test {

FinishedCell make_cell(const std::string& entity, Json seed, double ap,
                       bool is_development = false, bool is_bad = false) {
  return {entity,
          {{"set", "smd"},
           {"entity", entity},
           {"is_development", is_development},
           {"seed", std::move(seed)}},
          {{"rows", {{"rule", {{"ap", ap}, {"is_collapsed", is_bad}}}}}},
          {{"rule", ap}, {"cell", 2.0}}};
}

TEST(SeriesSummary, entities_are_averaged_first_and_seeds_then) {
  const std::vector<FinishedCell> cells = {
      make_cell("a", 1, 0.2), make_cell("b", 1, 0.4), make_cell("a", 2, 0.4),
      make_cell("b", 2, 0.8)};
  const SeriesSummary summary(cells);
  const Json both = summary.macro("smd", "rule", "ap");
  EXPECT_NEAR(both[0], 0.45, 1e-12);  // mean of .3 and .6
  EXPECT_NEAR(both[1], 0.3 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(summary.macro_mean("smd", "rule", "ap"), both[0]);
  EXPECT_NEAR(summary.seconds("smd", "rule"), 0.45, 1e-12);
  EXPECT_DOUBLE_EQ(summary.all_seconds(), 8.0);
  EXPECT_TRUE(summary.macro("msl", "rule", "ap").is_null());
  EXPECT_TRUE(summary.macro("smd", "rule", "fill").is_null());
}

TEST(SeriesSummary, a_method_without_seeds_has_no_spread) {
  const std::vector<FinishedCell> cells = {make_cell("a", nullptr, 0.2),
                                           make_cell("b", nullptr, 0.4)};
  const Json both = SeriesSummary(cells).macro("smd", "rule", "ap");
  EXPECT_NEAR(both[0], 0.3, 1e-12);
  EXPECT_TRUE(both[1].is_null());
}

TEST(SeriesSummary, development_entities_can_be_left_out) {
  const std::vector<FinishedCell> cells = {make_cell("a", 1, 0.2, true),
                                           make_cell("b", 1, 0.4)};
  const SeriesSummary summary(cells);
  EXPECT_NEAR(summary.macro("smd", "rule", "ap", Entities::kConfirming)[0], 0.4,
              1e-12);
  EXPECT_EQ(summary.entity_count("smd", Entities::kAll), 2u);
  EXPECT_EQ(summary.entity_count("smd", Entities::kConfirming), 1u);
}

TEST(SeriesSummary, collapsed_runs_and_missing_anomalies_are_named) {
  std::vector<FinishedCell> cells = {make_cell("a", 1, 0.2, false, true),
                                     make_cell("b", 1, 0.4)};
  cells.push_back(make_cell("c", 1, 0.0));
  cells.back().result["rows"] = nullptr;
  cells[0].result["rows"]["rule"]["failure"] = "points coincide";
  const SeriesSummary summary(cells);
  EXPECT_EQ(summary.collapsed("smd", "rule"), "1 of 2");
  EXPECT_TRUE(summary.collapsed("smd", "other").is_null());
  EXPECT_THAT(
      summary.sentences(),
      ::testing::ElementsAre(
          ::testing::HasSubstr("rule on smd a seed 1 (points coincide)"),
          ::testing::HasSubstr("left out: smd c")));
  EXPECT_THAT(
      notes_of_some(summary, "About."),
      ::testing::ElementsAre(
          "About.", "Entities: smd 2; of smd evenly spaced ones.",
          ::testing::HasSubstr("Collapsed"), ::testing::HasSubstr("left out")));
}

}  // namespace series_summary_test
}  // namespace sbog::paper
