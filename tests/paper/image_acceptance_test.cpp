// SPDX-License-Identifier: Apache-2.0
// The whole way from drawn shapes to a detector that was shown outliers, at a
// size at which its figures mean something.
#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "paper/image_cells.h"

namespace sbog::paper {
namespace image_acceptance_test {

Json result_of(const ImageRow& row, const CellContext& context) {
  Json config = image_cells({Size::kSmall, {1}}, {row})[0].configuration;
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
  CellContext context;
  context.scratch = folder.file("shared");
  const Json plain = result_of({"no outliers", "none"}, context);
  const Json shown = result_of({"SBOG", "sbog", "balanced"}, context);
  EXPECT_GT(plain["encoder_accuracy"], 0.9);
  EXPECT_GT(shown["consistency"], 0.6);
  EXPECT_EQ(shown["produced"], shown["requested"]);
  for (const auto& [name, figures] : shown["outside"].items()) {
    EXPECT_GE(auroc(figures), auroc(plain["outside"][name]) - 0.01) << name;
  }
  EXPECT_GT(auroc(shown["mean"]), auroc(plain["mean"]));
  EXPECT_GE(shown["accuracy"].get<double>(),
            shown["accuracy_before"].get<double>() - 0.01);
}

}  // namespace image_acceptance_test
}  // namespace sbog::paper
