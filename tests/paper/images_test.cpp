// SPDX-License-Identifier: Apache-2.0
// The main table about images: its rows, and whose figures it shows.
#include <gtest/gtest.h>

#include "paper/registry.h"
#include "paper/small_run.h"

namespace sbog::paper {
namespace images_test {

using testing_support::value_at;

TEST(Images, eleven_rows_twice_and_three_more_for_a_fresh_network) {
  const auto cells = find_experiment("images").cells({Size::kSmall, {5}});
  ASSERT_EQ(cells.size(), 25u);
  EXPECT_EQ(cells[0].configuration["row"]["rule"], "none");
  EXPECT_TRUE(cells[9].configuration["row"]["robust"]);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Json& row = cells[i].configuration["row"];
    EXPECT_EQ(row["start"], i < 11 ? "aligned" : i < 22 ? "head" : "fresh");
    if (i < 11 || i >= 22) continue;
    const Json& shown_to_encoder = cells[i - 11].configuration["row"];
    for (const char* field : {"rule", "profile", "robust"}) {
      EXPECT_EQ(row[field], shown_to_encoder[field]);
    }
  }
}

TEST(Images, experiments_about_images_are_known_by_name) {
  for (const char* name : {"images", "anchors", "semantic"}) {
    EXPECT_TRUE(is_about_images(name));
    EXPECT_EQ(find_experiment(name).name, name);
  }
  EXPECT_FALSE(is_about_images("series"));
}

TEST(Images, the_papers_figures_stand_beside_means_of_its_methods_alone) {
  std::vector<FinishedCell> cells;
  for (const char* name : {"no outliers", "VOS"}) {
    cells.push_back(
        {name,
         {{"set", "s"}, {"seed", 1}, {"row", {{"name", name}}}},
         {{"outside", {{"a", {{"fpr95", 0.5}}}}}, {"mean", {{"fpr95", 0.5}}}}});
  }
  const Presentation shown = find_experiment("images").present(cells);
  ASSERT_EQ(shown.table.rows.size(), 4u);
  EXPECT_TRUE(value_at(shown.table, 0, "paper: IN-100 FPR95").is_null());
  EXPECT_EQ(value_at(shown.table, 2, "paper: IN-100 FPR95"), 49.02);
  EXPECT_TRUE(value_at(shown.table, 3, "paper: IN-100 FPR95").is_null());
  EXPECT_EQ(value_at(shown.table, 2, "FPR95")[0], 0.5);
}

}  // namespace images_test
}  // namespace sbog::paper
