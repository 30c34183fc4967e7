// SPDX-License-Identifier: Apache-2.0
// The whole way from drawn shapes to a detector that was shown outliers, at a
// size at which its figures mean something.
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "oracle/temporary_folder.h"
#include "paper/image_cells.h"

namespace sbog::paper {
namespace image_acceptance_test {

// What one training gives differs by some hundredths from seed to seed and from
// processor to processor, so the claim is about the mean of three.
constexpr std::uint64_t kSeeds[] = {1, 2, 3};

Json result_of(std::uint64_t seed, const ImageRow& row,
               const CellContext& context) {
  Json config = image_cells({Size::kSmall, {seed}}, {row})[0].configuration;
  config["train_per_class"] = 300;
  config["test_per_class"] = 100;
  config["encoder"] = {{"widths", {8, 16, 32}}, {"latent", 16}, {"epochs", 12}};
  config["decoder"]["width"] = 16;
  config["decoder"]["epochs"] = 10;
  config["classifier"] = {{"widths", {8, 16, 32}}, {"epochs", 10}};
  config["exposure"]["epochs"] = 4;
  config["outliers_per_class"] = 100;
  config["decoded_per_class"] = 50;
  return compute_image_cell(config, context);
}

double auroc(const Json& figures) { return figures.at("auroc"); }

TEST(ImageAcceptance, outliers_of_shapes_make_a_better_detector) {
  const testing_support::TemporaryFolder folder;
  std::map<std::string, double> gains;  // summed over the seeds
  double mean_gain = 0.0;
  double accuracy_gain = 0.0;
  for (const std::uint64_t seed : kSeeds) {
    CellContext context;
    context.scratch = folder.file("shared" + std::to_string(seed));
    const Json plain = result_of(seed, {"no outliers", "none"}, context);
    const Json shown = result_of(seed, {"SBOG", "sbog", "balanced"}, context);
    EXPECT_GT(plain["encoder_accuracy"], 0.9) << seed;
    EXPECT_GT(shown["consistency"], 0.6) << seed;
    EXPECT_EQ(shown["produced"], shown["requested"]) << seed;
    for (const auto& [name, figures] : shown["outside"].items()) {
      gains[name] += auroc(figures) - auroc(plain["outside"][name]);
    }
    mean_gain += auroc(shown["mean"]) - auroc(plain["mean"]);
    accuracy_gain += shown["accuracy"].get<double>() -
                     shown["accuracy_before"].get<double>();
  }
  const double count = std::size(kSeeds);
  EXPECT_EQ(gains.size(), 3u);
  for (const auto& [name, gain] : gains) EXPECT_GE(gain / count, -0.01) << name;
  EXPECT_GT(mean_gain / count, 0.0);
  EXPECT_GE(accuracy_gain / count, -0.01);
}

}  // namespace image_acceptance_test
}  // namespace sbog::paper
