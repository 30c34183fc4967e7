// SPDX-License-Identifier: Apache-2.0
// Ablations on images: what differs between their rows, and the map.
#include <gtest/gtest.h>

#include "paper/small_run.h"

namespace sbog::paper {
namespace image_ablations_test {

using testing_support::value_at;

TEST(ImageAblations, anchor_rows_differ_in_the_choice_of_anchors_alone) {
  const auto cells = find_experiment("anchors").cells({Size::kSmall, {5}});
  ASSERT_EQ(cells.size(), 14u);
  Json top = cells[3].configuration["row"]["sampler"];
  for (std::size_t i = 4; i < 7; ++i) {
    Json other = cells[i].configuration["row"]["sampler"];
    EXPECT_NE(other, top);
    other["anchor_rule"] = top["anchor_rule"];
    EXPECT_EQ(other, top) << cells[i].key;
  }
}

TEST(ImageAblations, rows_without_tests_have_none) {
  const auto cells = find_experiment("semantic").cells({Size::kSmall, {5}});
  ASSERT_EQ(cells.size(), 12u);
  const Json& none = cells[1].configuration["row"]["sampler"];
  EXPECT_EQ(none["has_semantic_test"], false);
  EXPECT_EQ(none["seed_eligibility"], -1.0);
  const Json& both = cells[4].configuration["row"]["sampler"];
  EXPECT_EQ(both["has_semantic_test"], true);
  EXPECT_EQ(both["seed_eligibility"], 0.7);
}

TEST(ImageAblations, the_map_has_the_points_of_the_cells) {
  const FinishedCell cell{
      "x",
      {{"set", "s"}, {"seed", 1}, {"row", {{"name", "both"}}}},
      {{"outside", {{"a", {{"fpr95", 0.5}}}}},
       {"mean", {{"fpr95", 0.5}}},
       {"purity", 0.75},
       {"map", {{0.5, 0.25}, {0.1, 0.6}}}}};
  FinishedCell head = cell;
  head.configuration["row"] = {{"name", "both, head"}, {"start", "head"}};
  const Presentation shown = find_experiment("semantic").present({cell, head});
  const Json& points = shown.chart["data"]["values"];
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0]["nearest"], "own class");
  EXPECT_EQ(points[1]["nearest"], "another");
  EXPECT_EQ(shown.chart["encoding"]["column"]["sort"],
            Json({"both", "both, head"}));
  EXPECT_EQ(value_at(shown.table, 0, "purity")[0], 0.75);
  EXPECT_TRUE(value_at(shown.table, 1, "purity").is_null());
}

}  // namespace image_ablations_test
}  // namespace sbog::paper
