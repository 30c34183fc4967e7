// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/detector_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "series/support.h"

namespace sbog {
namespace detector_stream_test {

using testing_support::lifted_waves;
using testing_support::waves;

Detector causal_detector(DetectorKind kind) {
  DetectorOptions options;
  options.kind = kind;
  options.is_causal = true;
  return train_detector(waves(500, 3, 110, true), options);
}

TEST(DetectorStream, gives_the_bits_of_the_causal_batch) {
  for (const DetectorKind kind :
       {DetectorKind::kViews, DetectorKind::kChannel}) {
    const Detector detector = causal_detector(kind);
    const Series test = lifted_waves(330, 3, 111, 150, 180, 2.0);
    const DetectorScores batch = detector.score(test.values);
    DetectorStream stream(detector);
    for (std::size_t t = 0; t < test.rows(); ++t) {
      const StreamScore one = stream.push(test.values.row(t));
      ASSERT_EQ(one.score, batch.scores[t]) << t;
      ASSERT_EQ(one.threshold, batch.threshold);
      ASSERT_EQ(one.is_alarm, batch.scores[t] > batch.threshold);
      for (std::size_t v = 0; v < one.parts.size(); ++v) {
        ASSERT_EQ(one.parts[v], batch.parts(t, v));
      }
    }
    EXPECT_EQ(stream.rows(), 330u);
  }
}

TEST(DetectorStream, a_refused_row_leaves_no_trace) {
  const Detector detector = causal_detector(DetectorKind::kChannel);
  const Series test = waves(40, 3, 112);
  DetectorStream clean(detector);
  DetectorStream disturbed(detector);
  for (std::size_t t = 0; t < 40; ++t) {
    const std::vector<double> bad = {0.0, std::nan(""), 0.0};
    EXPECT_THROW(disturbed.push(bad), InvalidArgument);
    EXPECT_THROW(disturbed.push(std::vector<double>(2)), InvalidArgument);
    ASSERT_EQ(clean.push(test.values.row(t)).score,
              disturbed.push(test.values.row(t)).score);
  }
}

TEST(DetectorStream, refuses_a_detector_that_looks_ahead) {
  const Detector detector = train_detector(waves(100, 2, 113), {});
  EXPECT_THROW(DetectorStream{detector}, InvalidArgument);
}

TEST(RollingThreshold, follows_the_recent_scores_but_never_below_the_base) {
  const Matrix<double> drawn = testing_support::normal_rows(500, 1, 114);
  std::vector<double> scores;
  for (std::size_t t = 0; t < 500; ++t) {
    scores.push_back(std::abs(drawn(t, 0)) + (t < 250 ? 0.0 : 10.0));
  }
  const auto thresholds = rolling_thresholds(scores, 1.0, 0.9, 100);
  for (std::size_t t = 0; t < 500; ++t) {
    double expected = 1.0;
    if (t >= 100) {
      const std::size_t taken = t / 10 * 10;  // anew every ten rows
      std::vector<double> recent(
          scores.begin() + static_cast<std::ptrdiff_t>(taken - 100),
          scores.begin() + static_cast<std::ptrdiff_t>(taken));
      std::sort(recent.begin(), recent.end());
      expected = std::max(1.0, recent[90]);  // ceil(0.9 * 101) = 91st
    }
    EXPECT_EQ(thresholds[t], expected) << t;
  }
}

TEST(RollingThreshold, a_window_of_zero_changes_nothing) {
  const std::vector<double> scores(50, 9.0);
  EXPECT_EQ(rolling_thresholds(scores, 2.0, 0.9, 0),
            std::vector<double>(50, 2.0));
  EXPECT_THROW(RollingThreshold(1.0, 1.0, 10), InvalidArgument);
}

TEST(DetectorStream, a_rolling_threshold_is_that_of_the_batch) {
  const Detector detector = causal_detector(DetectorKind::kChannel);
  const Series test = lifted_waves(400, 3, 115, 100, 400, 1.0);
  const DetectorScores batch = detector.score(test.values);
  const auto expected = rolling_thresholds(batch.scores, batch.threshold,
                                           detector.options().level, 120);
  DetectorStream stream(detector, 120);
  for (std::size_t t = 0; t < test.rows(); ++t) {
    ASSERT_EQ(stream.push(test.values.row(t)).threshold, expected[t]);
  }
  EXPECT_GT(expected.back(), batch.threshold);
}

}  // namespace detector_stream_test
}  // namespace sbog
