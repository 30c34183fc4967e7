// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/window_source.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "series/window_support.h"

namespace sbog::series {
namespace window_source_test {

using testing_support::make_waves;

TEST(WindowSource, windows_are_slices_of_the_standardised_series) {
  const Matrix<double> series = make_waves(60, 3, 1);
  const WindowSource source(series, WindowOptions{20, 7, false});
  ASSERT_EQ(source.size(), 5u);  // floor((60 - 20) / 7)
  const ChannelStatistics statistics = channel_statistics(series);
  Matrix<float> rows(3, 20);
  source.fill(2, rows);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t t = 0; t < 20; ++t) {
      EXPECT_EQ(source.raw(2, c)[t], series(14 + t, c));
      EXPECT_EQ(rows(c, t),
                static_cast<float>((series(14 + t, c) - statistics.means[c]) /
                                   statistics.deviations[c]));
    }
  }
}

TEST(WindowSource, a_constant_channel_becomes_zero) {
  const Matrix<double> series = make_waves(60, 3, 1);
  const WindowSource source(series, WindowOptions{20, 1, false});
  for (const float value : source.standardised(5, 1)) EXPECT_EQ(value, 0.0F);
}

TEST(WindowSource, windows_past_the_end_and_foreign_statistics_are_refused) {
  const Matrix<double> series = make_waves(30, 3, 1);
  const ChannelStatistics statistics = channel_statistics(series);
  EXPECT_THROW(WindowSource(series, {11}, 20, statistics), InvalidArgument);
  EXPECT_THROW(WindowSource(series, {0}, 0, statistics), InvalidArgument);
  EXPECT_THROW(WindowSource(series, {0}, 20, {{0.0}, {1.0}}), InvalidArgument);
}

}  // namespace window_source_test
}  // namespace sbog::series
