// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/evaluate_entity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/metrics/detection.h"
#include "sbog/metrics/range_detection.h"
#include "sbog/series/baselines.h"
#include "sbog/series/detector.h"
#include "sbog/series/smoothing.h"
#include "series/support.h"

namespace sbog {
namespace evaluate_entity_test {

SeriesEntity entity_with_anomaly() {
  SeriesEntity entity;
  entity.name = "waves";
  entity.train = testing_support::waves(500, 2, 170);
  entity.test = testing_support::lifted_waves(300, 2, 171, 100, 130, 2.0);
  entity.labels.assign(300, 0);
  std::fill(entity.labels.begin() + 100, entity.labels.begin() + 130, 1);
  return entity;
}

const EvaluationRow& row_of(const std::vector<EvaluationRow>& rows,
                            const std::string& name) {
  for (const EvaluationRow& row : rows) {
    if (row.detector == name) return row;
  }
  throw std::logic_error(name);
}

TEST(EvaluateEntity, has_a_row_for_every_rule_and_smoothing) {
  const auto rows = evaluate_entity(entity_with_anomaly(), {});
  std::vector<std::string> names;
  for (const EvaluationRow& row : rows) names.push_back(row.detector);
  std::vector<std::string> expected = {"views", "views-batch", "channel"};
  for (const std::string rule : {"random", "l2norm", "range", "pca", "1nn",
                                 "kmeans", "l2norm-z", "pca-z", "1nn-z"}) {
    for (const char* suffix : {"", " m100", " multi"}) {
      expected.push_back(rule + suffix);
    }
  }
  EXPECT_EQ(names, expected);
  EXPECT_GE(rows[0].processor_seconds, 0.0);
  EXPECT_GT(row_of(rows, "views").quality.average_precision, 0.8);
  EXPECT_TRUE(row_of(rows, "views").threshold_f1);
  EXPECT_FALSE(row_of(rows, "range").threshold_f1);
}

TEST(EvaluateEntity, rows_are_the_quality_of_the_scores) {
  const SeriesEntity entity = entity_with_anomaly();
  EvaluationOptions options;
  options.detector.is_causal = true;
  const auto rows = evaluate_entity(entity, options);
  const auto raw =
      baseline_scores(Baseline::kPca, entity.train.values, entity.test.values);
  const auto quality = detection_quality(
      smooth_box(raw, 100, WindowSide::kTrailing), entity.labels);
  EXPECT_EQ(row_of(rows, "pca m100").quality.average_precision,
            quality->average_precision);
  EXPECT_EQ(row_of(rows, "pca m100").quality.vus_pr, quality->vus_pr);
  options.detector.kind = DetectorKind::kChannel;
  const auto scores =
      train_detector(entity.train, options.detector).score(entity.test.values);
  const ClassScores split = split_by_label(scores.scores, entity.labels);
  const EvaluationRow& row = row_of(rows, "channel");
  EXPECT_EQ(row.quality.best_f1,
            best_f1(split.positives, split.negatives)->value);
  EXPECT_EQ(*row.threshold_f1,
            f1_at(split.positives, split.negatives, scores.threshold)->value);
  EXPECT_EQ(*row.flagged_share, scores.flagged_share);
}

TEST(EvaluateEntity, baselines_can_be_left_out) {
  EvaluationOptions options;
  options.has_baselines = false;
  EXPECT_EQ(evaluate_entity(entity_with_anomaly(), options).size(), 3u);
}

TEST(EvaluateEntity, needs_an_anomaly) {
  SeriesEntity entity = entity_with_anomaly();
  entity.labels.assign(300, 0);
  EXPECT_THROW(evaluate_entity(entity, {}), InvalidArgument);
  EXPECT_FALSE(detection_quality(std::vector<double>{1.0},
                                 std::vector<std::int64_t>{0}));
}

}  // namespace evaluate_entity_test
}  // namespace sbog
