// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/windows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"
#include "series/support.h"

namespace sbog {
namespace windows_test {

using Starts = std::vector<std::size_t>;

TEST(Windows, counts_are_those_of_the_literature) {
  // Rows of public telemetry channels with windows of 200 at stride 1, for
  // training and for test: P-1, S-1, D-12 and M-6.
  EXPECT_EQ(window_starts(2872, {200, 1, false}).size(), 2672u);
  EXPECT_EQ(window_starts(8505, {200, 1, false}).size(), 8305u);
  EXPECT_EQ(window_starts(2818, {200, 1, false}).size(), 2618u);
  EXPECT_EQ(window_starts(7331, {200, 1, false}).size(), 7131u);
  EXPECT_EQ(window_starts(312, {200, 1, false}).size(), 112u);
  EXPECT_EQ(window_starts(7918, {200, 1, false}).size(), 7718u);
  EXPECT_EQ(window_starts(1565, {200, 1, false}).size(), 1365u);
  EXPECT_EQ(window_starts(2049, {200, 1, false}).size(), 1849u);
  EXPECT_EQ(window_starts(23687, {200, 5, false}).size(), 4697u);
}

TEST(Windows, the_tail_covers_the_last_row) {
  EXPECT_EQ(window_starts(10, {4, 3, false}), (Starts{0, 3}));
  EXPECT_EQ(window_starts(10, {4, 3, true}), (Starts{0, 3, 6}));
  EXPECT_EQ(window_starts(11, {4, 3, true}), (Starts{0, 3, 7}));
  EXPECT_EQ(window_starts(4, {4, 1, true}), (Starts{0}));
  EXPECT_TRUE(window_starts(4, {4, 1, false}).empty());
}

TEST(Windows, a_series_shorter_than_a_window_is_refused) {
  EXPECT_THROW(window_starts(3, {4, 1, true}), InvalidArgument);
  EXPECT_THROW(window_starts(9, {0, 1, true}), InvalidArgument);
  EXPECT_THROW(window_starts(9, {4, 0, true}), InvalidArgument);
}

TEST(Windows, one_anomalous_row_marks_a_window) {
  const std::vector<std::int64_t> labels = {0, 0, 0, 1, 0, 0};
  EXPECT_EQ(window_labels(labels, Starts{0, 1, 3, 4}, 2),
            (std::vector<std::int64_t>{0, 0, 1, 0}));
  EXPECT_THROW(window_labels(labels, Starts{5}, 2), InvalidArgument);
}

TEST(Windows, statistics_divide_by_the_rows) {
  Matrix<double> values(4, 2);
  for (std::size_t t = 0; t < 4; ++t) {
    values(t, 0) = static_cast<double>(t);
    values(t, 1) = 3.0;
  }
  const ChannelStatistics found = channel_statistics(values);
  EXPECT_DOUBLE_EQ(found.means[0], 1.5);
  EXPECT_DOUBLE_EQ(found.deviations[0], std::sqrt(1.25));
  EXPECT_EQ(found.deviations[1], 1.0);
  const Matrix<float> z = standardise(values, found, 1.0);
  EXPECT_EQ(z(0, 0), -1.0F);
  EXPECT_EQ(z(3, 1), 0.0F);
  EXPECT_NEAR(standardise(values, found)(3, 0), 1.5 / std::sqrt(1.25), 1e-6);
  EXPECT_THROW(standardise(Matrix<double>(1, 3), found), InvalidArgument);
}

TEST(Windows, a_point_has_the_mean_of_its_windows) {
  const Starts starts = window_starts(50, {7, 3, true});
  const Matrix<double> drawn =
      testing_support::normal_rows(starts.size(), 1, 140);
  const std::vector<double> scores(drawn.elements().begin(),
                                   drawn.elements().end());
  const auto mean = map_to_points(scores, starts, 7, 50);
  const auto largest = map_to_points(scores, starts, 7, 50, PointMapping::kMax);
  for (std::size_t t = 0; t < 50; ++t) {
    double sum = 0.0;
    double count = 0.0;
    double top = -1e300;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (t < starts[i] || t >= starts[i] + 7) continue;
      sum += scores[i];
      count += 1.0;
      top = std::max(top, scores[i]);
    }
    ASSERT_GT(count, 0.0);
    EXPECT_NEAR(mean[t], sum / count, 1e-14);
    EXPECT_EQ(largest[t], top);
  }
}

TEST(Windows, rows_without_a_window_take_the_nearest) {
  const std::vector<double> scores = {1.0, 2.0};
  const Starts starts = {0, 4};
  EXPECT_EQ(map_to_points(scores, starts, 2, 8),
            (std::vector<double>{1, 1, 1, 2, 2, 2, 2, 2}));
  EXPECT_EQ(map_to_points(scores, starts, 2, 8, PointMapping::kLastPoint),
            (std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(map_to_points(scores, starts, 3, 8, PointMapping::kCentre),
            (std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(Windows, scores_and_windows_must_fit) {
  const std::vector<double> one = {1.0};
  EXPECT_THROW(map_to_points(one, Starts{}, 2, 8), InvalidArgument);
  EXPECT_THROW(map_to_points(one, Starts{0, 1}, 2, 8), InvalidArgument);
  EXPECT_THROW(map_to_points(one, Starts{7}, 2, 8), InvalidArgument);
}

}  // namespace windows_test
}  // namespace sbog
