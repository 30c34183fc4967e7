// SPDX-License-Identifier: Apache-2.0
// The main table about series: its cells, and whose figures it shows.
#include <gtest/gtest.h>

#include <set>

#include "paper/small_run.h"

namespace sbog::paper {
namespace series_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(Series, detectors_come_first_then_seed_by_seed_then_rows_of_one_seed) {
  const auto cells = find_experiment("series").cells({Size::kSmall, {5, 6}});
  std::vector<std::string> parts;
  for (const Cell& cell : cells) {
    parts.push_back(cell.configuration["part"].get<std::string>() + " " +
                    cell.configuration["seed"].dump());
  }
  std::vector<std::string> expected = {"detectors null", "detectors null"};
  for (const char* part : {"rules 5", "rules 6", "refreshed 5", "exposure 5"}) {
    expected.insert(expected.end(), 2, part);
  }
  EXPECT_EQ(parts, expected);
}

TEST(Series, the_table_has_floor_detectors_and_simple_rules_in_three_forms) {
  const auto cells = small_cells("series", "detectors-");
  ASSERT_EQ(cells.size(), 2u);
  const Presentation shown = find_experiment("series").present(cells);
  std::set<std::string> methods;
  for (std::size_t i = 0; i < shown.table.rows.size(); ++i) {
    methods.insert(value_at(shown.table, i, "method"));
    EXPECT_TRUE(value_at(shown.table, i, "paper: AU-PR").is_null());
  }
  EXPECT_EQ(methods.size(), 1u + 3u + 9u * 3u);
  EXPECT_TRUE(methods.contains("floor"));
  EXPECT_TRUE(methods.contains("range multi"));
}

TEST(Series, the_papers_figures_stand_beside_its_own_method_alone) {
  FinishedCell cell{
      "x",
      {{"set", "msl"},
       {"entity", "C-1"},
       {"is_development", false},
       {"seed", 1}},
      {{"rows", {{"CARLA", {{"ap", 0.5}}}, {"SBOG (paper)", {{"ap", 0.25}}}}}}};
  const Presentation shown = find_experiment("series").present({cell});
  ASSERT_EQ(shown.table.rows.size(), 2u);
  EXPECT_TRUE(value_at(shown.table, 0, "paper: AU-PR").is_null());
  EXPECT_EQ(value_at(shown.table, 1, "paper: AU-PR"), 0.352);
  EXPECT_EQ(value_at(shown.table, 1, "paper: best F1"), 0.463);
  EXPECT_EQ(value_at(shown.table, 1, "AP")[0], 0.25);
}

}  // namespace series_test
}  // namespace sbog::paper
