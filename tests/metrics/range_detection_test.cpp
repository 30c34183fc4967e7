// SPDX-License-Identifier: Apache-2.0
#include "sbog/metrics/range_detection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/metrics/detection.h"

namespace sbog {
namespace range_detection_test {

using Labels = std::vector<std::int64_t>;

std::vector<double> drawn(std::size_t n, std::uint64_t seed) {
  std::vector<double> scores(n);
  PhiloxStream(seed, 0, 0, 0).normals(0, std::span<double>(scores));
  return scores;
}

// Every threshold from scratch, as the header defines it.
double slow_area(const std::vector<double>& scores, const Labels& labels,
                 std::size_t buffer, std::size_t thresholds) {
  const std::size_t n = scores.size();
  const std::vector<double> soft = soft_labels(labels, buffer);
  std::vector<double> sorted = scores;
  std::sort(sorted.rbegin(), sorted.rend());
  double before = 0.0;
  double area = 0.0;
  for (std::size_t k = 0; k < thresholds; ++k) {
    const double threshold = sorted[k * (n - 1) / (thresholds - 1)];
    double found = 0.0;
    double positives = 0.0;
    double predicted = 0.0;
    double segments = 0.0;
    double hit = 0.0;
    bool is_inside = false;
    bool is_hit = false;
    for (std::size_t i = 0; i <= n; ++i) {
      const bool is_soft = i < n && soft[i] > 0.0;
      if (is_inside && !is_soft) {
        segments += 1.0;
        hit += is_hit ? 1.0 : 0.0;
        is_hit = false;
      }
      is_inside = is_soft;
      if (i == n) break;
      const bool is_predicted = scores[i] >= threshold;
      is_hit = is_hit || (is_soft && is_predicted);
      if (labels[i] == 1) positives += 1.0;
      if (!is_predicted) continue;
      predicted += 1.0;
      found += soft[i];
      if (labels[i] == 0) positives += soft[i] / 2.0;
    }
    const double recall = std::min(found / positives, 1.0) * hit / segments;
    area += (recall - before) * found / predicted;
    before = recall;
  }
  return area;
}

TEST(RangeDetection, soft_labels_fall_off_on_both_sides) {
  const Labels labels = {0, 0, 0, 1, 0, 0, 0, 0};
  const std::vector<double> soft = soft_labels(labels, 4);
  const std::vector<double> expected = {0.0,
                                        std::sqrt(0.5),
                                        std::sqrt(0.75),
                                        1.0,
                                        std::sqrt(0.75),
                                        std::sqrt(0.5),
                                        0.0,
                                        0.0};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_DOUBLE_EQ(soft[i], expected[i]) << i;
  }
  EXPECT_EQ(soft_labels(labels, 0)[2], 0.0);
}

TEST(RangeDetection, buffers_of_two_segments_add_up_to_at_most_one) {
  const std::vector<double> soft = soft_labels(Labels{1, 0, 1}, 10);
  EXPECT_EQ(soft[1], 1.0);
}

TEST(RangeDetection, a_buffer_may_be_longer_than_the_series) {
  const Labels labels = {0, 1, 0};
  const std::vector<double> soft = soft_labels(labels, std::size_t{1} << 62);
  for (const double label : soft) EXPECT_NEAR(label, 1.0, 1e-12);
  EXPECT_NEAR(*range_auc_pr(std::vector<double>{1, 3, 2}, labels, 9),
              slow_area({1, 3, 2}, labels, 9, 250), 1e-12);
}

TEST(RangeDetection, equals_the_definition) {
  const std::vector<double> scores = drawn(300, 1);
  Labels labels(300, 0);
  std::fill(labels.begin() + 40, labels.begin() + 55, 1);
  std::fill(labels.begin() + 70, labels.begin() + 72, 1);
  labels[299] = 1;
  RangeOptions options;
  options.thresholds = 60;
  double mean = 0.0;
  for (const std::size_t buffer : options.buffers) {
    const double expected = slow_area(scores, labels, buffer, 60);
    EXPECT_NEAR(*range_auc_pr(scores, labels, buffer, options), expected,
                1e-12);
    mean += expected / 6.0;
  }
  EXPECT_NEAR(*vus_pr(scores, labels, options), mean, 1e-12);
}

TEST(RangeDetection, without_buffer_and_one_segment_it_is_average_precision) {
  // Every distinct score is a threshold; the one segment is hit as soon as
  // recall is above 0.
  const std::vector<double> scores = drawn(200, 2);
  Labels labels(200, 0);
  std::fill(labels.begin() + 90, labels.begin() + 120, 1);
  RangeOptions options;
  options.thresholds = 200;
  const ClassScores split = split_by_label(scores, labels);
  EXPECT_NEAR(*range_auc_pr(scores, labels, 0, options),
              *average_precision(split.positives, split.negatives), 1e-12);
}

TEST(RangeDetection, a_perfect_score_has_area_one) {
  Labels labels(500, 0);
  std::fill(labels.begin() + 100, labels.begin() + 200, 1);
  const std::vector<double> scores(labels.begin(), labels.end());
  EXPECT_NEAR(*range_auc_pr(scores, labels, 0), 1.0, 1e-12);
  EXPECT_LT(*vus_pr(scores, labels), 1.0 + 1e-12);
}

TEST(RangeDetection, needs_a_positive_and_sound_input) {
  const std::vector<double> scores = {1.0, 2.0};
  EXPECT_FALSE(vus_pr(scores, Labels{0, 0}));
  EXPECT_THROW(vus_pr(scores, Labels{1}), InvalidArgument);
  EXPECT_THROW(vus_pr(scores, Labels{1, 2}), InvalidArgument);
  EXPECT_THROW(vus_pr(std::vector<double>{1.0, std::nan("")}, Labels{1, 0}),
               InvalidArgument);
  RangeOptions options;
  options.thresholds = 1;
  EXPECT_THROW(vus_pr(scores, Labels{1, 0}, options), InvalidArgument);
  options = {};
  options.buffers.clear();
  EXPECT_THROW(vus_pr(scores, Labels{1, 0}, options), InvalidArgument);
}

}  // namespace range_detection_test
}  // namespace sbog
