// SPDX-License-Identifier: Apache-2.0
// The oracle table: the matched density is Algorithm 1, and the tool's profiles
// are the variants they are made of.
#include <gtest/gtest.h>

#include "paper/small_run.h"

namespace sbog::paper {
namespace {

using testing_support::small_cells;

TEST(Oracle, rows_that_must_agree_do) {
  const auto cells = small_cells("oracle", "base-");
  ASSERT_EQ(cells.size(), 1u);
  const Json& rows = cells[0].result;
  EXPECT_EQ(rows.size(), 17u);
  EXPECT_EQ(rows["SBOG, Algorithm 1"], rows["KDE, h = sqrt(eps)"]);
  EXPECT_EQ(rows["profile coverage"], rows["A 256 spread, q .8, argmax"]);
  EXPECT_EQ(rows["profile max-coverage"], rows["A 256 spread, q .8, uniform"]);
  EXPECT_NE(rows["SBOG, Algorithm 1"], rows["Random"]);
}

TEST(Oracle, the_papers_two_figures_stand_beside_ours) {
  const auto cells = small_cells("oracle", "s2-");
  const Presentation shown = find_experiment("oracle").present(cells);
  for (const auto& row : shown.table.rows) {
    EXPECT_TRUE(row.back().is_null());  // the paper has no such setting
  }
  EXPECT_EQ(shown.table.columns.back().source, Source::kPaper);
}

}  // namespace
}  // namespace sbog::paper
