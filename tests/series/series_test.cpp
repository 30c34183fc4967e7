// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/series.h"

#include <gtest/gtest.h>

namespace sbog {
namespace series_test {

TEST(Series, channels_are_numbered_unless_they_have_names) {
  const Series series = make_series("s", Matrix<double>(2, 3));
  EXPECT_EQ(series.name, "s");
  EXPECT_EQ(series.channels, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(series.rows(), 2u);
  EXPECT_EQ(series.channel_count(), 3u);
}

TEST(Series, constant_channels_are_found) {
  Matrix<double> values(3, 3);
  values(2, 1) = 1e-300;
  values(0, 2) = values(1, 2) = values(2, 2) = 4.0;
  EXPECT_EQ(constant_channels(values), (std::vector<std::size_t>{0, 2}));
}

TEST(Series, all_channels_of_a_single_row_are_constant) {
  EXPECT_EQ(constant_channels(Matrix<double>(1, 2)).size(), 2u);
}

}  // namespace series_test
}  // namespace sbog
