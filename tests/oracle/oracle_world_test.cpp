// SPDX-License-Identifier: Apache-2.0
// What the oracle experiment draws once.
#include "sbog/oracle/oracle_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "oracle/var_support.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace oracle_world_test {

OracleSettings small_settings() {
  OracleSettings settings;
  settings.bank_per_class = 60;
  settings.oracle_per_region = 20;
  settings.test_in = 31;
  settings.test_oracle = 20;
  settings.delta_draws = 300;
  return settings;
}

std::vector<float> all_of(MatrixView<const float> points) {
  return {points.data(), points.data() + points.rows() * points.cols()};
}

TEST(OracleWorld, has_what_the_settings_ask_for) {
  const OracleWorld world(small_settings());
  EXPECT_EQ(world.windows().rows(), 180u);
  EXPECT_EQ(world.windows().cols(), kWindowSize);
  EXPECT_EQ(world.bank().rows(), 180u);
  EXPECT_EQ(world.bank().cols(), kOracleDim);
  EXPECT_EQ(world.labels().size(), 180u);
  for (std::int64_t c = 0; c < 3; ++c) {
    EXPECT_EQ(std::count(world.labels().begin(), world.labels().end(), c), 60);
  }
  EXPECT_EQ(world.class_anchors().rows(), 3u);
  EXPECT_EQ(world.bands().size(), kOracleRegions);
  EXPECT_EQ(world.oracle().rows(), 180u);
  EXPECT_EQ(world.test_in().rows(), 31u);
  EXPECT_EQ(world.test_oracle().rows(), 20u);
}

TEST(OracleWorld, the_bank_is_the_encoded_windows_of_the_processes) {
  const OracleWorld world(small_settings());
  for (std::size_t c = 0; c < kOracleClasses; ++c) {
    const Matrix<double> windows = oracle::drawn_windows(c, 60, 1);
    for (std::size_t i = 0; i < 60; ++i) {
      const auto mine = world.windows().row(60 * c + i);
      ASSERT_TRUE(std::equal(mine.begin(), mine.end(), windows.row(i).begin()));
      const OraclePoint z = world.encoder().encode(mine);
      for (std::size_t k = 0; k < kOracleDim; ++k) {
        EXPECT_EQ(world.bank()(60 * c + i, k), static_cast<float>(z[k]));
      }
    }
  }
}

TEST(OracleWorld, bands_hold_the_pooled_samples_and_their_radius) {
  const OracleWorld world(small_settings());
  for (std::size_t l = 0; l < kOracleRegions; ++l) {
    const BandSample& band = world.bands()[l];
    ASSERT_EQ(band.points.rows(), 20u);
    EXPECT_EQ(all_of(band.points), all_of(world.oracle().subrows(20 * l, 20)));
    EXPECT_EQ(band.radius, neighbour_radius(band.points));
  }
}

TEST(OracleWorld, class_anchors_are_the_normalised_means) {
  const OracleWorld world(small_settings());
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<double> mean(kOracleDim, 0.0);
    double squares = 0.0;
    for (std::size_t k = 0; k < kOracleDim; ++k) {
      for (std::size_t i = 0; i < 60; ++i)
        mean[k] += world.bank()(60 * c + i, k);
      squares += mean[k] * mean[k];
    }
    for (std::size_t k = 0; k < kOracleDim; ++k) {
      EXPECT_NEAR(world.class_anchors()(c, k), mean[k] / std::sqrt(squares),
                  1e-6);
    }
  }
}

TEST(OracleWorld, no_two_draws_are_the_same) {
  const OracleWorld world(small_settings());
  std::set<float> seen;
  std::size_t count = 0;
  for (const auto& points :
       {world.bank(), world.oracle(), world.test_in(), world.test_oracle()}) {
    for (std::size_t i = 0; i < points.rows(); ++i, ++count) {
      seen.insert(points(i, 0) + 7.0f * points(i, 1));
    }
  }
  EXPECT_GE(seen.size() + 2, count);  // floats may collide by chance
}

TEST(OracleWorld, is_the_same_for_any_number_of_threads) {
  const OracleWorld alone(small_settings());
  for (const std::size_t threads : {2, 7}) {
    ThreadPool pool(threads);
    const OracleWorld together(small_settings(), {&pool, nullptr});
    EXPECT_EQ(all_of(alone.bank()), all_of(together.bank()));
    EXPECT_EQ(all_of(alone.oracle()), all_of(together.oracle()));
    EXPECT_EQ(all_of(alone.test_in()), all_of(together.test_in()));
    EXPECT_EQ(all_of(alone.test_oracle()), all_of(together.test_oracle()));
  }
}

TEST(OracleWorld, another_seed_is_another_world) {
  OracleSettings settings = small_settings();
  const OracleWorld first(settings);
  settings.seed = 2;
  const OracleWorld second(settings);
  EXPECT_NE(all_of(first.bank()), all_of(second.bank()));
  EXPECT_NE(all_of(first.oracle()), all_of(second.oracle()));
}

TEST(OracleWorld, refuses_settings_out_of_range) {
  const std::vector<std::function<void(OracleSettings&)>> spoils = {
      [](auto& s) { s.bank_per_class = 10; },
      [](auto& s) { s.oracle_per_region = 5; },
      [](auto& s) { s.outputs_per_class = 0; },
      [](auto& s) { s.test_in = 2; },
      [](auto& s) { s.test_oracle = 8; },
      [](auto& s) { s.delta_draws = 0; },
      [](auto& s) { s.nats = -1.0; },
      [](auto& s) { s.mean_scale = NAN; },
  };
  for (std::size_t i = 0; i < spoils.size(); ++i) {
    OracleSettings settings = small_settings();
    spoils[i](settings);
    EXPECT_THROW(OracleWorld{settings}, InvalidArgument) << i;
  }
}

}  // namespace oracle_world_test
}  // namespace sbog
