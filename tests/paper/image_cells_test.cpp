// SPDX-License-Identifier: Apache-2.0
// Cells about images: their order, keys and samplers.
#include "paper/image_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/sample/image_profile.h"

namespace sbog::paper {
namespace image_cells_test {

const std::vector<ImageRow> kRows = {
    {"no outliers", "none"}, {"k-NN", "knn"}, {"SBOG (x)", "sbog", "balanced"}};

TEST(ImageCells, begin_with_the_first_row_of_every_seed) {
  std::vector<std::string> keys;
  for (const Cell& cell : image_cells({Size::kSmall, {4, 7}}, kRows)) {
    keys.push_back(cell.key);
  }
  EXPECT_THAT(keys, ::testing::ElementsAre(
                        "shapes-s4-no-outliers", "shapes-s7-no-outliers",
                        "shapes-s4-k-nn", "shapes-s4-sbog-x", "shapes-s7-k-nn",
                        "shapes-s7-sbog-x"));
}

TEST(ImageCells, a_configuration_holds_the_whole_sampler) {
  const auto cells = image_cells({Size::kSmall, {4}}, kRows);
  EXPECT_FALSE(cells[0].configuration["row"].contains("sampler"));
  const Json& sampler = cells[2].configuration["row"]["sampler"];
  EXPECT_EQ(sampler["quantile"], image_profile("balanced", 8).quantile);
  EXPECT_EQ(sampler["sigma"], image_profile("balanced", 8).sigma);
}

TEST(ImageCells, changes_of_the_sampler_are_taken_and_unknown_ones_refused) {
  Json row = {{"rule", "sbog"},
              {"profile", "paper-image"},
              {"changes", {{"anchor_rule", "dpp"}, {"pick", "uniform"}}}};
  const SamplerOptions options = image_row_sampler(row, 16);
  EXPECT_EQ(options.anchor_rule, AnchorRule::kDpp);
  EXPECT_EQ(options.pick, PickRule::kUniform);
  row["changes"] = {{"magic", 1}};
  EXPECT_THROW(image_row_sampler(row, 16), InvalidArgument);
}

TEST(ImageCells, the_full_size_asks_for_data) {
  EXPECT_NE(image_cells_obstacle({Size::kFull, {}}), "");
  EXPECT_EQ(image_cells_obstacle({Size::kSmall, {}}).empty(), has_images());
}

}  // namespace image_cells_test
}  // namespace sbog::paper
