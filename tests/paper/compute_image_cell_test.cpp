// SPDX-License-Identifier: Apache-2.0
// Cells about images at the small size; without LibTorch a sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "oracle/temporary_folder.h"
#include "paper/image_cells.h"
#include "sbog/base/errors.h"

namespace sbog::paper {
namespace compute_image_cell_test {

using testing_support::TemporaryFolder;

std::vector<Cell> small_cells(const std::vector<ImageRow>& rows) {
  return image_cells({Size::kSmall, {3}}, rows);
}

ImageRow started(const char* rule, const char* start) {
  return with_start({rule, rule, "balanced"}, start, start);
}

TEST(ComputeImageCell, without_libtorch_a_sentence) {
  const auto cells = small_cells({{"no outliers", "none"}});
  ASSERT_EQ(cells.size(), 1u);
  if (has_images()) return;
  EXPECT_THROW(compute_image_cell(cells[0].configuration, {}), InvalidArgument);
}

TEST(ComputeImageCell, every_kind_of_row_has_its_figures) {
  if (!has_images()) return;
  const TemporaryFolder folder;
  CellContext context;
  context.scratch = folder.file("shared");
  for (const Cell& cell : small_cells({{"no outliers", "none"},
                                       {"Gaussian noise", "noise"},
                                       {"VOS", "vos"},
                                       {"SBOG", "sbog", "balanced"},
                                       started("sbog", "fresh"),
                                       started("none", "head"),
                                       started("noise", "head"),
                                       started("sbog", "head")})) {
    const Json result = compute_image_cell(cell.configuration, context);
    ASSERT_EQ(result["outside"].size(), 3u) << cell.key;
    for (const char* field : {"fpr95", "fpr95_closest", "auroc", "aupr"}) {
      double sum = 0.0;
      for (const auto& [name, figures] : result["outside"].items()) {
        sum += figures[field].get<double>();
        EXPECT_GE(figures[field], 0.0) << cell.key << " " << name;
        EXPECT_LE(figures[field], 1.0) << cell.key << " " << name;
      }
      EXPECT_NEAR(result["mean"][field].get<double>(), sum / 3.0, 1e-12);
    }
    const Json& row = cell.configuration["row"];
    const bool has_images = row["start"] != "head";
    EXPECT_EQ(result.contains("purity"), row.contains("sampler")) << cell.key;
    EXPECT_EQ(result.contains("consistency"),
              row.contains("sampler") && has_images)
        << cell.key;
    if (row["rule"] == "none" && has_images) {
      EXPECT_EQ(result["accuracy"], result["accuracy_before"]);
    }
    EXPECT_GT(result["accuracy"], 0.0);
    EXPECT_TRUE(result["msp"].contains("mean")) << cell.key;
    EXPECT_EQ(result.contains("latent"), row["start"] == "aligned") << cell.key;
    ASSERT_EQ(result.contains("artifact_auroc"), has_images) << cell.key;
    if (has_images) {
      EXPECT_GE(result["artifact_auroc"], 0.0);
      EXPECT_LE(result["artifact_auroc"], 1.0);
    }
  }
}

TEST(ComputeImageCell, the_scratch_folder_changes_nothing) {
  if (!has_images()) return;
  const TemporaryFolder folder;
  const Cell cell = small_cells({{"SBOG robust", "sbog", "balanced", true}})[0];
  CellContext context;
  context.scratch = folder.file("shared");
  Json first_seconds;
  Json second_seconds;
  context.seconds = &first_seconds;
  const Json first = compute_image_cell(cell.configuration, context);
  context.seconds = &second_seconds;
  EXPECT_EQ(compute_image_cell(cell.configuration, context), first);
  EXPECT_EQ(compute_image_cell(cell.configuration, {}), first);
  for (const char* part : {"robust encoder", "robust decoder"}) {
    EXPECT_TRUE(first_seconds.contains(part)) << part;
    EXPECT_FALSE(second_seconds.contains(part)) << part;
  }
}

}  // namespace compute_image_cell_test
}  // namespace sbog::paper
