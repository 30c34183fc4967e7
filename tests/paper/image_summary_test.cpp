// SPDX-License-Identifier: Apache-2.0
// Rows of tables about images from cells.
#include "paper/image_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sbog::paper {
namespace image_summary_test {

FinishedCell cell(const char* method, int seed, double fpr,
                  const char* set = "s") {
  return {std::string(method) + std::to_string(seed),
          {{"set", set}, {"seed", seed}, {"row", {{"name", method}}}},
          {{"outside", {{"a", {{"fpr95", fpr}}}, {"b", {{"fpr95", 0.5}}}}},
           {"mean", {{"fpr95", (fpr + 0.5) / 2.0}}},
           {"accuracy", 0.75}},
          {{"cell", 2.0 * seed}}};
}

TEST(ImageSummary, seeds_are_joined_and_each_set_has_its_row) {
  const auto rows = image_table_rows(
      {cell("x", 1, 0.25), cell("y", 1, 0.0), cell("x", 2, 0.75)});
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].method, "x");
  EXPECT_EQ(rows[0].outside, "mean");
  EXPECT_EQ(rows[1].outside, "a");
  EXPECT_EQ(rows[1].values[3][0], 0.5);
  EXPECT_EQ(rows[3].method, "y");
  EXPECT_EQ(rows[3].values[3][0], 0.25);
  EXPECT_EQ(rows[0].chart["FPR95"], 0.5);
  for (const ImageTableRow& row : rows) {
    EXPECT_EQ(row.values.size(), image_columns().size());
  }
  EXPECT_TRUE(rows[1].values[9].is_null());
  EXPECT_EQ(rows[0].values[9][0], 0.75);
}

TEST(ImageSummary, rows_of_a_set_stand_together) {
  const auto groups = by_method({cell("x", 1, 0.25), cell("x", 1, 0.25, "a"),
                                 cell("y", 1, 0.25), cell("y", 1, 0.25, "a")});
  std::vector<std::string> order;
  for (const auto& group : groups) {
    order.push_back(group[0].configuration["set"].get<std::string>() +
                    group[0].key);
  }
  EXPECT_THAT(order, ::testing::ElementsAre("ax1", "ay1", "sx1", "sy1"));
}

TEST(ImageSummary, scores_of_latents_have_columns_of_their_own) {
  FinishedCell with = cell("x", 1, 0.25);
  with.result["latent"]["SOE"]["mean"] = {{"fpr95", 0.125}};
  const auto rows = image_table_rows({with, cell("y", 1, 0.0)});
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].values[7][0], 0.125);
  EXPECT_TRUE(rows[1].values[7].is_null());
}

TEST(ImageSummary, a_chart_has_a_bar_for_each_detector_of_the_outliers) {
  FinishedCell head = cell("energy, top, head", 1, 0.0);
  head.configuration["row"]["start"] = "head";
  const Json shown = image_chart(
      "title", image_table_rows({cell("energy, top", 1, 0.25), head}));
  const Json& values = shown["data"]["values"];
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0]["outliers"], "energy, top");
  EXPECT_EQ(values[1]["outliers"], "energy, top");
  EXPECT_EQ(values[0]["shown to"], "the encoder, as images");
  EXPECT_EQ(values[1]["shown to"], "a head, as points");
  EXPECT_EQ(values[1]["FPR95"], 0.25);
}

TEST(ImageSummary, seconds_are_means_over_the_cells_that_had_them) {
  const auto notes = image_notes({cell("x", 1, 0.25), cell("x", 2, 0.75)});
  EXPECT_THAT(notes.back(), ::testing::HasSubstr("cell 3.0"));
}

}  // namespace image_summary_test
}  // namespace sbog::paper
