// SPDX-License-Identifier: Apache-2.0
// Cells of the controlled experiment: what a configuration holds, and rows
// against the library's own.
#include "paper/oracle_cells.h"

#include <gtest/gtest.h>

#include "paper/small_run.h"
#include "sbog/base/errors.h"
#include "sbog/oracle/oracle_experiment.h"

namespace sbog::paper {
namespace oracle_cells_test {

using testing_support::value_at;

std::vector<Generator> generators(std::size_t anchors) {
  return {{"random", [](SamplerOptions& o) { o.rule = Rule::kRandom; }},
          {"a/b", [=](SamplerOptions& o) { o.anchor_count = anchors; }}};
}

TEST(OracleCells, a_change_of_a_generator_changes_the_configuration) {
  const Settings settings{Size::kSmall, {1}};
  const Cell first = oracle_cells(settings, generators(30))[0];
  const Cell second = oracle_cells(settings, generators(31))[0];
  EXPECT_EQ(first.key, second.key);
  EXPECT_NE(first.configuration, second.configuration);
  EXPECT_THROW(compute_oracle(first.configuration, generators(31), {}),
               InvalidArgument);
}

TEST(OracleCells, rows_are_those_of_the_library) {
  const auto list = generators(30);
  const Cell cell = oracle_cells({Size::kSmall, {3}}, list)[0];
  const FinishedCell done{cell.key, cell.configuration,
                          compute_oracle(cell.configuration, list, {})};
  OracleSettings settings;
  settings.seed = 3;
  settings.bank_per_class = 200;
  settings.outputs_per_class = 20;
  settings.oracle_per_region = 40;
  settings.test_in = 180;
  settings.test_oracle = 63;
  settings.delta_draws = 1000;
  SamplerOptions options = oracle_options();
  options.anchor_count = 30;
  const OracleRow row = run_oracle(OracleWorld(settings), options);
  const Presentation shown = present_oracle({done}, "title", {{"a/b", 0.63}});
  ASSERT_EQ(shown.table.rows.size(), 2u);
  EXPECT_EQ(value_at(shown.table, 1, "generator"), "a/b");
  EXPECT_EQ(value_at(shown.table, 1, "BPrec")[0], row.boundary_precision);
  EXPECT_EQ(value_at(shown.table, 1, "AUPR")[0], row.oracle_aupr);
  EXPECT_EQ(value_at(shown.table, 1, "paper: BPrec"), 0.63);
  EXPECT_TRUE(value_at(shown.table, 0, "paper: BPrec").is_null());
}

TEST(OracleCells, figures_of_the_paper_belong_to_the_base_setting) {
  const auto list = generators(30);
  std::vector<FinishedCell> cells;
  for (const Cell& cell : oracle_cells({Size::kSmall, {1}}, list)) {
    cells.push_back(
        {cell.key, cell.configuration, {{"random", {{"oracle_aupr", 0.5}}}}});
  }
  const Presentation shown = present_oracle(cells, "t", {{"random", 0.31}});
  ASSERT_EQ(shown.table.rows.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(value_at(shown.table, i, "paper: BPrec").is_null(), i != 0);
  }
}

}  // namespace oracle_cells_test
}  // namespace sbog::paper
