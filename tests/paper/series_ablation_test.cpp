// SPDX-License-Identifier: Apache-2.0
// The ablation at its small size: one change at a time, three parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "paper/small_run.h"

namespace sbog::paper {
namespace series_ablation_test {

using testing_support::small_cells;
using testing_support::value_at;

TEST(SeriesAblation, three_parts_have_their_variants_and_panels) {
  const Experiment& experiment = find_experiment("series-ablation");
  const auto cells = small_cells("series-ablation", "waves-1");
  ASSERT_EQ(cells.size(), 3u);
  const Presentation shown = experiment.present(cells);
  std::set<std::string> found;
  for (std::size_t i = 0; i < shown.table.rows.size(); ++i) {
    found.insert(value_at(shown.table, i, "part"));
  }
  EXPECT_THAT(found, ::testing::ElementsAre("carrier", "component", "encoder"));
  EXPECT_EQ(shown.table.rows.size(), 8u + 5u + 3u);
  EXPECT_EQ(shown.chart["encoding"]["column"]["field"], "part");
}

TEST(SeriesAblation, a_component_changes_one_thing_of_the_paper_profile) {
  const auto cells =
      find_experiment("series-ablation").cells({Size::kSmall, {1}});
  const Json& runs = cells[0].configuration["runs"];
  for (const Json& run : runs) {
    std::size_t differences = 0;
    for (const auto& [field, value] : run["sampler"].items()) {
      if (value != runs[0]["sampler"][field]) ++differences;
    }
    EXPECT_EQ(differences, run["name"] == "as published" ? 0u : 1u)
        << run["name"];
  }
}

}  // namespace series_ablation_test
}  // namespace sbog::paper
