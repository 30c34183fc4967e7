// SPDX-License-Identifier: Apache-2.0
// The table `latents`: rows and columns of finished cells, some of them.
#include <gtest/gtest.h>

#include "paper/registry.h"
#include "paper/small_run.h"

namespace sbog::paper {
namespace latent_table_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(LatentTable, scores_have_rows_and_sums_with_a_head_columns) {
  std::vector<FinishedCell> cells = small_cells("latents", "free-made");
  for (const char* key : {"energy-made", "head-made-none-s1",
                          "head-made-recipe-s1", "radius-made-shaped-r4-s1"}) {
    for (FinishedCell& cell : small_cells("latents", key)) {
      cells.push_back(std::move(cell));
    }
  }
  const Presentation shown = find_experiment("latents").present(cells);
  const Table& table = shown.table;
  // 9 free scores, a head with MSP, two heads, three of `sbog score`.
  ASSERT_EQ(table.rows.size(), 16u);
  EXPECT_EQ(value_at(table, 3, "score"), "RMD");
  EXPECT_TRUE(value_at(table, 3, "FPR95 + RMD").is_null());
  EXPECT_EQ(value_at(table, 10, "score"), "MSP");
  EXPECT_TRUE(value_at(table, 10, "outliers").is_null());
  const Json& recipe = cells[3].result;
  EXPECT_EQ(value_at(table, 11, "scale"), "r 1.5-4");
  EXPECT_EQ(value_at(table, 11, "FPR95")[0],
            recipe["scores"]["head"]["test"]["fpr95"]);
  EXPECT_EQ(value_at(table, 11, "FPR95 + RMD + SPAN")[0],
            recipe["scores"]["head + RMD + SPAN"]["test"]["fpr95"]);
  EXPECT_EQ(value_at(table, 13, "task"), "made, all rows");
  EXPECT_TRUE(value_at(table, 13, "validation FPR95").is_null());
  const Json& points = shown.chart["data"]["values"];
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0]["r"], 4.0);
  EXPECT_EQ(points[0]["law"], "shaped");
}

TEST(LatentTable, seeds_of_one_rule_share_a_row) {
  std::vector<FinishedCell> cells = small_cells("latents", "head-made-none-s1");
  cells.push_back(cells[0]);
  cells[1].configuration["seed"] = 2;
  cells[1].result["scores"]["head"]["test"]["fpr95"] = 90.0;
  cells[0].result["scores"]["head"]["test"]["fpr95"] = 10.0;
  const Table table = find_experiment("latents").present(cells).table;
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(value_at(table, 0, "seeds"), 2);
  EXPECT_EQ(value_at(table, 0, "FPR95")[0], 50.0);
}

}  // namespace latent_table_test
}  // namespace sbog::paper
