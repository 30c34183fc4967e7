// SPDX-License-Identifier: Apache-2.0
// The oracle table: the matched density is Algorithm 1, and the profiles are
// those of the tool.
#include <gtest/gtest.h>

#include "paper/options_json.h"
#include "paper/small_run.h"
#include "sbog/oracle/oracle_experiment.h"

namespace sbog::paper {
namespace oracle_test {

using testing_support::small_cells;

TEST(Oracle, rows_that_must_agree_do) {
  const auto cells = small_cells("oracle", "base-");
  ASSERT_EQ(cells.size(), 1u);
  const Json& rows = cells[0].result;
  EXPECT_EQ(rows.size(), cells[0].configuration["generators"].size());
  EXPECT_EQ(rows["SBOG, Algorithm 1"], rows["KDE, h = sqrt(eps)"]);
  EXPECT_NE(rows["SBOG, Algorithm 1"], rows["Random"]);
}

TEST(Oracle, profiles_are_those_of_the_tool) {
  const Experiment& experiment = find_experiment("oracle");
  const Json config = experiment.cells({Size::kSmall, {1}})[0].configuration;
  for (const char* name :
       {"balanced", "coverage", "max-coverage", "boundary", "exposure"}) {
    const Json& changes =
        config["generators"].at(std::string("profile ") + name);
    EXPECT_EQ(changes,
              options_difference(profile_options(name), oracle_options()));
  }
}

TEST(Oracle, the_papers_two_figures_stand_beside_ours) {
  const auto cells = small_cells("oracle", "s2-");
  const Presentation shown = find_experiment("oracle").present(cells);
  for (const auto& row : shown.table.rows) {
    EXPECT_TRUE(row.back().is_null());  // the paper has no such setting
  }
  EXPECT_EQ(shown.table.columns.back().source, Source::kPaper);
}

}  // namespace oracle_test
}  // namespace sbog::paper
