// SPDX-License-Identifier: Apache-2.0
// Coverage of intervals: the laws have the tails that they are told to have,
// and shares add up.
#include <gtest/gtest.h>

#include "paper/small_run.h"

namespace sbog::paper {
namespace rarity_intervals_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(RarityIntervals, every_repetition_is_covered_or_on_one_side) {
  const auto cells = small_cells("rarity-intervals", "n1000");
  ASSERT_EQ(cells.size(), 8u);
  for (const FinishedCell& cell : cells) {
    const Json& result = cell.result;
    const double covered = result["covered"];
    EXPECT_NEAR(covered + result["all_above"].get<double>() +
                    result["all_below"].get<double>(),
                1.0, 1e-12)
        << cell.key;
    EXPECT_GT(result["median_width"].get<double>(), 1.0) << cell.key;
  }
}

TEST(RarityIntervals, estimates_are_about_right_where_the_law_is_a_pareto_law) {
  for (const char* law : {"exponential", "pareto", "bounded"}) {
    const auto cells = small_cells("rarity-intervals", law);
    ASSERT_EQ(cells.size(), 1u) << law;
    EXPECT_GE(cells[0].result["covered"].get<double>(), 0.7) << law;
    const double ratio = cells[0].result["median_ratio"];
    EXPECT_GT(ratio, 0.4) << law;
    EXPECT_LT(ratio, 2.5) << law;
    const Presentation shown =
        find_experiment("rarity-intervals").present(cells);
    EXPECT_EQ(value_at(shown.table, 0, "covered"), cells[0].result["covered"]);
  }
}

}  // namespace rarity_intervals_test
}  // namespace sbog::paper
