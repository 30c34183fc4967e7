// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/alarms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sbog/base/errors.h"
#include "series/support.h"

namespace sbog {
namespace alarms_test {

using testing_support::lifted_waves;
using testing_support::waves;

TEST(Alarms, are_runs_above_the_threshold) {
  const std::vector<double> scores = {0, 3, 5, 5, 1, 0, 0, 4, 2};
  const std::vector<double> thresholds(9, 2.0);
  const auto alarms = find_alarms(scores, thresholds, 0);
  ASSERT_EQ(alarms.size(), 2u);
  EXPECT_EQ(alarms[0].first, 1u);
  EXPECT_EQ(alarms[0].end, 4u);
  EXPECT_EQ(alarms[0].peak, 2u);
  EXPECT_EQ(alarms[0].score, 5.0);
  EXPECT_EQ(alarms[1].first, 7u);
  EXPECT_EQ(alarms[1].end, 8u);  // equal to the threshold is no alarm
}

TEST(Alarms, close_runs_are_one_alarm) {
  const std::vector<double> scores = {3, 0, 0, 0, 4};
  const std::vector<double> thresholds(5, 1.0);
  EXPECT_EQ(find_alarms(scores, thresholds, 2).size(), 2u);
  const auto merged = find_alarms(scores, thresholds, 3);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].end, 5u);
  EXPECT_EQ(merged[0].peak, 4u);
}

TEST(Alarms, each_row_has_its_own_threshold) {
  const std::vector<double> scores = {2, 2};
  EXPECT_EQ(find_alarms(scores, std::vector<double>{3, 1})[0].first, 1u);
  EXPECT_THROW(find_alarms(scores, std::vector<double>{3}), InvalidArgument);
}

TEST(Explainer, shares_add_up_to_the_score_and_name_the_channel) {
  const Series train = waves(800, 3, 120);
  const Series test = lifted_waves(500, 3, 121, 250, 290, 2.5);
  for (const DetectorKind kind :
       {DetectorKind::kViews, DetectorKind::kViewsBatch,
        DetectorKind::kChannel}) {
    DetectorOptions options;
    options.kind = kind;
    const Detector detector = train_detector(train, options);
    const DetectorScores scores = detector.score(test.values);
    const Explainer explainer(detector, test.values, scores);
    for (const std::size_t t : {0u, 255u, 270u, 499u}) {
      const Explanation found = explainer.explain(t);
      EXPECT_EQ(found.score, scores.scores[t]);
      const auto views = found.views();
      const auto channels = found.channels();
      const double tolerance = 1e-12 * (1.0 + found.score);
      EXPECT_NEAR(std::accumulate(views.begin(), views.end(), 0.0), found.score,
                  tolerance);
      EXPECT_NEAR(std::accumulate(channels.begin(), channels.end(), 0.0),
                  found.score, tolerance);
      for (const double share : found.shares.elements()) EXPECT_GE(share, 0.0);
    }
    const auto channels = explainer.explain(270).channels();
    EXPECT_GT(channels[0], 0.5 * scores.scores[270]) << to_string(kind);
  }
}

TEST(Explainer, a_view_has_the_smoothed_sum_of_its_parts) {
  const Detector detector = train_detector(waves(300, 2, 122), {});
  const Series test = lifted_waves(260, 2, 123, 100, 130, 2.0);
  const DetectorScores scores = detector.score(test.values);
  const auto views =
      Explainer(detector, test.values, scores).explain(120).views();
  for (std::size_t v = 0; v < views.size(); ++v) {
    double expected = 0.0;
    for (const std::size_t width : {10u, 30u, 100u, 200u}) {
      for (std::size_t i = 0; i < width; ++i) {
        const long row =
            120L - static_cast<long>(width / 2) + static_cast<long>(i);
        const auto at = static_cast<std::size_t>(std::clamp(row, 0L, 259L));
        expected += scores.parts(at, v) / static_cast<double>(4 * width);
      }
    }
    EXPECT_NEAR(views[v], expected, 1e-12);
  }
}

TEST(Explainer, refuses_rows_and_scores_that_do_not_belong) {
  const Detector detector = train_detector(waves(100, 2, 124), {});
  const Series test = waves(60, 2, 125);
  const DetectorScores scores = detector.score(test.values);
  const Series other = waves(61, 2, 126);
  EXPECT_THROW(Explainer(detector, other.values, scores), InvalidArgument);
  EXPECT_THROW(Explainer(detector, test.values, scores).explain(60),
               InvalidArgument);
}

}  // namespace alarms_test
}  // namespace sbog
