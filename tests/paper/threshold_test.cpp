// SPDX-License-Identifier: Apache-2.0
// The sweep of the threshold at its small size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paper/small_run.h"

namespace sbog::paper {
namespace threshold_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(Threshold, a_higher_quantile_lets_fewer_negatives_pass) {
  const Experiment& experiment = find_experiment("threshold");
  const auto cells = small_cells("threshold", "waves-1");
  ASSERT_EQ(cells.size(), 1u);
  const Presentation shown = experiment.present(cells);
  ASSERT_EQ(shown.table.rows.size(), 7u);
  double last_reached = 1.0;
  double last_level = 0.0;
  for (std::size_t i = 0; i < shown.table.rows.size(); ++i) {
    const double level = value_at(shown.table, i, "q");
    const double reached = value_at(shown.table, i, "reached")[0];
    EXPECT_GT(level, last_level);
    EXPECT_LE(reached, last_reached) << level;
    EXPECT_GE(value_at(shown.table, i, "Gap")[0], 0.0) << level;
    last_level = level;
    last_reached = reached;
  }
  for (const Json& run : cells[0].configuration["runs"]) {
    EXPECT_EQ(run["sampler"]["quantile"], run["changes"]["quantile"]);
  }
}

}  // namespace threshold_test
}  // namespace sbog::paper
