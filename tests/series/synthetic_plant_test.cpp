// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/synthetic_plant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sbog/base/errors.h"
#include "sbog/series/read_series.h"

namespace sbog {
namespace synthetic_plant_test {

TEST(SyntheticPlant, a_longer_series_begins_with_the_shorter) {
  const Series long_one = synthetic_plant(700, 3);
  const Series short_one = synthetic_plant(300, 3);
  ASSERT_EQ(short_one.channel_count(), 12u);
  ASSERT_EQ(short_one.channels.size(), 12u);
  for (std::size_t t = 0; t < 300; ++t) {
    EXPECT_EQ(short_one.times[t], long_one.times[t]);
    for (std::size_t c = 0; c < 12; ++c) {
      EXPECT_EQ(short_one.values(t, c), long_one.values(t, c));
    }
  }
}

TEST(SyntheticPlant, every_channel_moves_and_seeds_differ) {
  const Series one = synthetic_plant(6000, 1);
  const Series two = synthetic_plant(6000, 2);
  EXPECT_TRUE(constant_channels(one.values).empty());
  std::set<double> modes;
  std::size_t differences = 0;
  for (std::size_t t = 0; t < one.rows(); ++t) {
    modes.insert(one.values(t, 11));
    for (std::size_t c = 0; c < 12; ++c) {
      EXPECT_TRUE(std::isfinite(one.values(t, c)));
      if (one.values(t, c) != two.values(t, c)) ++differences;
    }
  }
  EXPECT_EQ(modes, (std::set<double>{0.0, 1.0, 2.0}));
  EXPECT_GT(differences, 6000u);
}

TEST(SyntheticPlant, minutes_are_read_back_as_times) {
  const Series series = synthetic_plant(90 * 1440, 1);
  const double first = parse_time(series.times[0]).value();
  for (std::size_t t = 0; t < series.rows(); t += 997) {
    EXPECT_EQ(parse_time(series.times[t]).value() - first,
              60.0 * static_cast<double>(t));
  }
}

TEST(SyntheticPlant, no_rows_are_refused) {
  EXPECT_THROW(synthetic_plant(0, 1), InvalidArgument);
}

}  // namespace synthetic_plant_test
}  // namespace sbog
