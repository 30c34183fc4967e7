// SPDX-License-Identifier: Apache-2.0
// Options about energies: names, aliases, translation.
#include "sbog/job/energy_options.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::job {
namespace energy_options_test {

EnergySettings with(const char* name, const char* value) {
  EnergySettings settings;
  const std::vector<Assignment> given = {{name, {value}, name}};
  energy_option_table(true).apply(given, settings);
  return settings;
}

TEST(EnergyOptions, every_cost_is_accepted_under_its_name) {
  for (const std::string& name : cost_names()) {
    EXPECT_EQ(with("cost", name.c_str()).cost, name);
  }
}

TEST(EnergyOptions, names_of_other_libraries_are_accepted) {
  EXPECT_EQ(with("cost", "sqeuclidean").cost, "squared-euclidean");
  EXPECT_EQ(with("cost", "l2").cost, "euclidean");
  EXPECT_THROW(with("cost", "hamming"), InvalidArgument);
}

TEST(EnergyOptions, the_older_name_of_includes_self_is_accepted) {
  EXPECT_TRUE(with("includes_self", "true").includes_self);
  EXPECT_FALSE(with("includes_self", "false").includes_self);
  EXPECT_TRUE(with("self", "include").includes_self);
  EXPECT_FALSE(with("self", "exclude").includes_self);
  EXPECT_THROW(with("self", "maybe"), InvalidArgument);
}

TEST(EnergyOptions, costs_from_a_file_only_where_they_make_sense) {
  EXPECT_EQ(with("cost", "precomputed").cost, "precomputed");
  EnergySettings settings;
  const std::vector<Assignment> given = {{"cost", {"precomputed"}, "--cost"}};
  EXPECT_THROW(energy_option_table().apply(given, settings), InvalidArgument);
}

TEST(EnergyOptions, settings_become_options_of_the_library) {
  EnergySettings settings;
  settings.cost = "euclidean";
  settings.epsilon = 0.25;
  settings.includes_self = true;
  settings.quantile = 0.9;
  settings.margin = 0.125;
  settings.trim = 0.5;
  const sbog::ScoreOptions options = score_options_of(settings, {}, 7);
  EXPECT_EQ(options.energy.cost, GroundCost::kEuclidean);
  EXPECT_EQ(options.energy.epsilon, 0.25);
  EXPECT_TRUE(options.includes_self);
  EXPECT_EQ(options.threshold.level, 0.9);
  EXPECT_EQ(options.threshold.margin, 0.125);
  EXPECT_EQ(options.trim, 0.5);
  EXPECT_EQ(options.seed, 7u);
}

TEST(EnergyOptions, epsilon_is_found_unless_it_is_given) {
  EXPECT_TRUE(EnergySettings().epsilon.is_auto());
  EXPECT_TRUE(score_options_of({}, {}, 0).finds_epsilon);
  EXPECT_TRUE(with("epsilon", "auto").epsilon.is_auto());
  const EnergySettings given = with("epsilon", "0.25");
  EXPECT_EQ(given.epsilon.number(), 0.25);
  EXPECT_FALSE(score_options_of(given, {}, 0).finds_epsilon);
  EXPECT_THROW(with("epsilon", "0"), InvalidArgument);
}

TEST(EnergyOptions, the_quantile_is_also_called_the_level) {
  EXPECT_EQ(EnergySettings().quantile, 0.95);
  EXPECT_EQ(with("level", "0.9").quantile, 0.9);
}

TEST(EnergyOptions, a_mahalanobis_cost_needs_its_matrix) {
  EnergySettings settings;
  settings.cost = "mahalanobis";
  EXPECT_THROW(load_metric(settings), InvalidArgument);
  settings.cost = "cosine";
  EXPECT_EQ(load_metric(settings).rows(), 0u);
}

}  // namespace energy_options_test
}  // namespace sbog::job
