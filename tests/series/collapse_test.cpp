// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/collapse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "series/window_support.h"

namespace sbog::series {
namespace collapse_test {

using testing_support::unit_rows;

TEST(Collapse, spread_equals_the_plain_sums) {
  const Matrix<float> points = unit_rows(60, 1);
  double apart = 0.0;
  std::vector<double> energies;
  for (std::size_t i = 0; i < 60; ++i) {
    double kernel = 0.0;
    for (std::size_t j = 0; j < 60; ++j) {
      if (j == i) continue;
      const double cost =
          1.0 - cosine_of<float, float>(points.row(i), points.row(j));
      apart += cost / (60.0 * 59.0);
      kernel += std::exp(-cost / 0.02) / 59.0;
    }
    energies.push_back(-0.02 * std::log(kernel));
  }
  const EncoderSpread spread = encoder_spread(points);
  EXPECT_NEAR(spread.pair_distance, apart, 1e-6);
  EXPECT_FALSE(spread.is_collapsed);
  std::sort(energies.begin(), energies.end());
  EXPECT_NEAR(spread.energy_quantiles[1], 0.5 * (energies[29] + energies[30]),
              1e-5);
  EXPECT_NEAR(spread.energy_quantiles[0],
              energies[2] + 0.95 * (energies[3] - energies[2]), 1e-5);
}

TEST(Collapse, a_point_mass_is_collapsed) {
  Matrix<float> points(10, 4);
  for (std::size_t i = 0; i < 10; ++i) points(i, 1) = 1.0F;
  const EncoderSpread spread = encoder_spread(points);
  EXPECT_NEAR(spread.pair_distance, 0.0, 1e-9);
  EXPECT_TRUE(spread.is_collapsed);
}

TEST(Collapse, constant_scores_are_collapsed) {
  Matrix<float> pool(3, 4);
  pool(0, 2) = pool(1, 2) = pool(2, 1) = 1.0F;
  const std::vector<double> constant = {0.632, 0.6321, 0.632};
  const std::vector<double> varied = {0.0, 1.0, 0.0, 1.0};
  EXPECT_TRUE(cluster_spread(pool, constant).is_collapsed);
  EXPECT_FALSE(cluster_spread(pool, varied).is_collapsed);
  EXPECT_EQ(cluster_spread(pool, varied).classes_used, 2u);
  EXPECT_DOUBLE_EQ(cluster_spread(pool, varied).score_deviation, 0.5);
}

TEST(Collapse, too_little_to_judge_is_refused) {
  EXPECT_THROW(encoder_spread(unit_rows(1, 1)), InvalidArgument);
  EXPECT_THROW(cluster_spread(unit_rows(1, 1), {}), InvalidArgument);
}

}  // namespace collapse_test
}  // namespace sbog::series
