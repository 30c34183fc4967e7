// SPDX-License-Identifier: Apache-2.0
// Figures of an entity against hand-made cases.
#include "paper/series_quality.h"

#include <gtest/gtest.h>

#include "paper/series_data.h"

namespace sbog::paper {
namespace series_quality_test {

SeriesEntity four_rows(std::vector<std::int64_t> labels) {
  SeriesEntity entity;
  entity.train = make_series("train", Matrix<double>(3, 2));
  entity.test = make_series("test", Matrix<double>(labels.size(), 2));
  entity.labels = std::move(labels);
  return entity;
}

TEST(SeriesQuality, an_entity_has_its_base_rate_and_floor) {
  const Json figures = entity_figures(four_rows({0, 1, 0, 0}));
  EXPECT_EQ(figures["train_rows"], 3);
  EXPECT_EQ(figures["test_rows"], 4);
  EXPECT_EQ(figures["channels"], 2);
  EXPECT_DOUBLE_EQ(figures["base_rate"], 0.25);
  EXPECT_DOUBLE_EQ(figures["floor_f1"], 2.0 * 0.25 / 1.25);
}

TEST(SeriesQuality, figures_of_four_rows_are_those_done_by_hand) {
  const SeriesEntity entity = four_rows({0, 1, 1, 0});
  const Json figures =
      score_figures(std::vector<double>{0.3, 0.9, 0.2, 0.1}, entity, 0.25);
  EXPECT_NEAR(figures["ap"], 0.5 * 1.0 + 0.5 * 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(figures["best_f1"], 0.8, 1e-12);       // threshold 0.2
  EXPECT_NEAR(figures["threshold_f1"], 0.5, 1e-12);  // one of two, one wrong
  EXPECT_NEAR(figures["flagged_share"], 0.5, 1e-12);
}

TEST(SeriesQuality, noise_below_1e6_ranks_nothing) {
  const SeriesEntity entity = four_rows({1, 0, 0, 0});
  const Json figures = score_figures(
      std::vector<double>{0.5 + 1e-8, 0.5, 0.5 - 1e-8, 0.5}, entity, 0.5);
  EXPECT_NEAR(figures["ap"], 0.25, 1e-12);
  EXPECT_NEAR(figures["flagged_share"], 1.0, 1e-12);
}

TEST(SeriesQuality, without_anomalies_there_are_no_figures) {
  const SeriesEntity entity = four_rows({0, 0, 0, 0});
  EXPECT_TRUE(
      score_figures(std::vector<double>{1, 2, 3, 4}, entity, 2).is_null());
  EXPECT_TRUE(detector_rows(entity, {}).is_null());
  EXPECT_TRUE(entity_figures(entity)["floor_f1"].is_null());
}

TEST(SeriesQuality, every_detector_has_a_row_and_seconds) {
  const Settings settings{Size::kSmall, {}};
  const SeriesEntity entity =
      load_series(series_fields(list_series(settings)[0], settings), "");
  CellContext context;
  Json seconds;
  context.seconds = &seconds;
  const Json rows = detector_rows(entity, context);
  for (const char* name : {"floor", "views", "views-batch", "channel", "random",
                           "range multi", "1nn m100", "kmeans"}) {
    ASSERT_TRUE(rows.contains(name)) << name;
    EXPECT_GE(rows[name]["best_f1"], rows["floor"]["best_f1"]) << name;
  }
  // A fifth of the rows is anomalous: what chance gives.
  EXPECT_NEAR(rows["floor"]["ap"], 0.2, 1e-12);
  EXPECT_NEAR(rows["random"]["ap"], 0.2, 0.06);
  EXPECT_GT(rows["views"]["ap"], 0.8);
  EXPECT_TRUE(rows["views"]["threshold_f1"].is_number());
  EXPECT_TRUE(seconds.contains("views"));
}

}  // namespace series_quality_test
}  // namespace sbog::paper
