// SPDX-License-Identifier: Apache-2.0
#include "paper/latent_cells.h"

#include <gtest/gtest.h>

#include "paper/small_run.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace latent_cells_test {

using testing_support::small_cells;

LatentTask named_sets(std::vector<std::string> names) {
  LatentTask task;
  task.validation.unknown.emplace_back("v", Matrix<float>());
  for (const std::string& name : names) {
    task.test.unknown.emplace_back(name, Matrix<float>());
  }
  return task;
}

TEST(LatentCells, a_sum_is_the_mean_of_scores_in_their_own_units) {
  // Means 2 and 10, deviations 1 and 5, of held-out rows.
  const RowScores a{{1, 3}, {2}, {4}, {{5}}, {{0}, {1, 2}}};
  const RowScores b{{5, 15}, {10}, {15}, {{0}}, {{20}, {10, 5}}};
  const RowScores sum = sum_of_scores({&a, &b});
  EXPECT_EQ(sum.held_out, (std::vector<double>{-1, 1}));
  EXPECT_EQ(sum.validation, (std::vector<double>{0}));
  EXPECT_EQ(sum.test, (std::vector<double>{1.5}));
  EXPECT_EQ(sum.validation_unknown, (std::vector<std::vector<double>>{{0.5}}));
  EXPECT_EQ(sum.test_unknown,
            (std::vector<std::vector<double>>{{0}, {-0.5, -0.5}}));
}

TEST(LatentCells, a_score_of_one_value_adds_nothing) {
  const RowScores flat{{7, 7}, {7}, {7}, {{7}}, {{7}}};
  const RowScores sum = sum_of_scores({&flat});
  EXPECT_EQ(sum.test, (std::vector<double>{0}));
  EXPECT_EQ(sum.held_out, (std::vector<double>{0, 0}));
}

TEST(LatentCells, figures_are_percentages_and_the_mean_of_the_sets) {
  RowScores scores;
  scores.validation = {0, 1};
  scores.validation_unknown = {{2, 3}};
  scores.test = {0, 1, 2, 3};
  scores.test_unknown = {{4, 5}, {-1, 2.5, 3.5, 10}};
  const Json figures = figures_of(scores, named_sets({"x", "y"}));
  EXPECT_EQ(figures["validation"]["fpr95"], 0.0);
  EXPECT_EQ(figures["validation"]["auroc"], 100.0);
  const Json& test = figures["test"];
  EXPECT_EQ(test["sets"]["x"]["fpr95"], 0.0);
  // All known rows are kept at 3: -1 and 2.5 are taken for known.
  EXPECT_EQ(test["sets"]["y"]["fpr95"], 50.0);
  EXPECT_EQ(test["sets"]["y"]["auroc"], 100.0 * 11 / 16);
  EXPECT_EQ(test["fpr95"], 25.0);
  EXPECT_EQ(test["auroc"], (100.0 + 100.0 * 11 / 16) / 2);
}

TEST(LatentCells, outliers_at_the_right_scale_help_a_head) {
  const auto auroc = [](const std::string& rule) {
    const auto cells = small_cells("latents", "head-made-" + rule + "-s1");
    EXPECT_EQ(cells.size(), 1u);
    return cells.at(0).result["scores"]["head"]["test"]["auroc"].get<double>();
  };
  EXPECT_GT(auroc("recipe"), auroc("none"));
  EXPECT_GT(auroc("recipe"), 99.0);
}

TEST(LatentCells, a_cell_has_every_sum_and_says_how_far_outliers_are) {
  const auto cells = small_cells("latents", "head-made-none-s1");
  const Json& none = cells.at(0).result;
  EXPECT_TRUE(none["scores"].contains("MSP"));
  EXPECT_FALSE(none.contains("ratio"));
  const Json recipe = small_cells("latents", "head-made-recipe-s1")[0].result;
  EXPECT_FALSE(recipe["scores"].contains("MSP"));
  EXPECT_GT(recipe["ratio"], 1.3);
  for (const char* sum : {"head + RMD", "head + mean", "head + RMD + mean",
                          "head + RMD + SPAN", "head + RMD + mean + SPAN"}) {
    EXPECT_TRUE(recipe["scores"].contains(sum)) << sum;
  }
}

TEST(LatentCells, another_rule_of_the_same_name_is_refused) {
  const Experiment& experiment = find_experiment("latents");
  for (const Cell& cell : experiment.cells({Size::kSmall, {1}})) {
    if (cell.key != "head-made-vos-s1") continue;
    Json changed = cell.configuration;
    changed["stretched"] = true;
    EXPECT_THROW(compute_latent_cell(changed, {}), InvalidArgument);
    changed["rule"] = "nothing";
    EXPECT_THROW(compute_latent_cell(changed, {}), InvalidArgument);
  }
}

}  // namespace latent_cells_test
}  // namespace sbog::paper
