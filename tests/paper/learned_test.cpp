// SPDX-License-Identifier: Apache-2.0
// Runs on a learned encoder at the small size.
#include "paper/learned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oracle/temporary_folder.h"
#include "paper/series_data.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace learned_test {

using testing_support::TemporaryFolder;

Json configuration(const std::vector<LearnedRun>& runs) {
  const Settings settings{Size::kSmall, {}};
  Json config = {{"seed", 3}};
  config.update(series_fields(list_series(settings)[0], settings));
  config.update(learned_fields({"info-nce", true}, runs));
  return config;
}

TEST(Learned, a_run_has_a_row_for_each_score) {
  const Json result = compute_learned(
      configuration({{"CARLA", "carla"},
                     {"SBOG", "sbog-paper", "latent", 0, {{"quantile", 0.5}}},
                     {"B", "carla", "retrieval", 0}}),
      {});
  EXPECT_EQ(result["rows"].size(), 6u);
  for (const auto& [name, row] : result["rows"].items()) {
    for (const char* field : {"ap", "best_f1", "vus_pr", "threshold_f1"}) {
      EXPECT_GE(row[field], 0.0) << name << " " << field;
      EXPECT_LE(row[field], 1.0) << name << " " << field;
    }
    EXPECT_GE(row["best_f1"].get<double>() + 1e-9,
              result["entity"]["floor_f1"].get<double>());
  }
  EXPECT_TRUE(result["rows"]["SBOG"].contains("fill"));
  EXPECT_TRUE(result["rows"]["SBOG, majority"].contains("gap"));
  EXPECT_FALSE(result["rows"]["CARLA"].contains("fill"));
  EXPECT_FALSE(result["rows"]["B"].contains("gap"));
  EXPECT_TRUE(result["encoder"].contains("is_collapsed"));
}

TEST(Learned, an_encoder_is_shared_and_a_damaged_one_trained_again) {
  const TemporaryFolder folder;
  const Json config = configuration({{"CARLA", "carla"}});
  Json first_seconds;
  Json second_seconds;
  CellContext context;
  context.scratch = folder.file("shared");
  context.seconds = &first_seconds;
  const Json first = compute_learned(config, context);
  context.seconds = &second_seconds;
  EXPECT_EQ(compute_learned(config, context), first);
  EXPECT_TRUE(first_seconds.contains("encoder"));
  EXPECT_FALSE(second_seconds.contains("encoder"));
  for (const auto& file :
       std::filesystem::directory_iterator(context.scratch)) {
    std::ofstream(file.path(), std::ios::binary) << "damaged";
  }
  EXPECT_EQ(compute_learned(config, context), first);
  EXPECT_EQ(compute_learned(config, {}), first);
}

TEST(Learned, a_configuration_holds_the_options_of_the_sampler) {
  const Json config =
      configuration({{"q", "sbog-paper", "latent", 0, {{"quantile", 0.5}}}});
  const Json& sampler = config["runs"][0]["sampler"];
  EXPECT_EQ(sampler["quantile"], 0.5);
  EXPECT_EQ(sampler["margin"], 0.04);
  EXPECT_EQ(sampler["includes_self"], true);
  EXPECT_THROW(
      configuration({{"x", "sbog-paper", "latent", 0, {{"sigma", 1.0}}}}),
      InvalidArgument);
  EXPECT_THROW(configuration({{"x", "no rule"}}), InvalidArgument);
}

}  // namespace learned_test
}  // namespace sbog::paper
