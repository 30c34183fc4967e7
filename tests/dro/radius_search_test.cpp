// SPDX-License-Identifier: Apache-2.0
// The search on two points, where the divergence is known exactly.
#include "sbog/dro/detail/radius_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sbog::detail {
namespace {

// Q = (1 - q, q) with gains (-1, 0).
struct TwoPoints {
  double q = 0.2;

  TiltMoments at(double theta) const {
    const double p = q / (q + (1.0 - q) * std::exp(-theta));
    TiltMoments moments;
    moments.mean = p - 1.0;
    moments.variance = p * (1.0 - p);
    // theta E[g] - L, added up without loss for small theta.
    const double kl =
        p * std::log(p / q) + (1.0 - p) * std::log((1.0 - p) / (1.0 - q));
    moments.divergence = p >= 1.0 ? -std::log(q) : kl;
    moments.log_divergence = std::log(moments.divergence);
    moments.magnitude = theta;
    return moments;
  }
  double largest() const { return -std::log(q); }
  double variance() const { return q * (1.0 - q); }
};

TEST(RadiusSearch, finds_the_theta_of_every_radius) {
  for (const double q : {0.5, 0.2, 1e-3}) {
    const TwoPoints points{q};
    for (const double share : {1e-4, 0.01, 0.3, 0.9, 0.999}) {
      const double target = share * points.largest();
      RadiusSearch search(target, points.largest(), points.variance(), 1e-12);
      for (int i = 0; i < 200 && !search.is_done(); ++i) {
        search.observe(points.at(search.theta()));
      }
      ASSERT_TRUE(search.is_done()) << q << " " << share;
      EXPECT_NEAR(points.at(search.theta()).divergence / target, 1.0, 1e-9)
          << q << " " << share;
      EXPECT_LT(search.evaluation_count(), 80u);
    }
  }
}

TEST(RadiusSearch, what_others_found_shortens_the_way) {
  const TwoPoints points{0.2};
  const double target = 0.5 * points.largest();
  const auto evaluations = [&](bool is_told) {
    RadiusSearch search(target, points.largest(), points.variance(), 1e-12);
    if (is_told) {
      for (const double theta : {2.0, 2.2, 2.4, 2.6, 2.8, 3.0}) {
        search.learn(theta, points.at(theta));
      }
    }
    for (int i = 0; i < 200 && !search.is_done(); ++i) {
      search.observe(points.at(search.theta()));
    }
    EXPECT_TRUE(search.is_done());
    EXPECT_NEAR(points.at(search.theta()).divergence, target, 1e-9);
    return search.evaluation_count();
  };
  EXPECT_LE(evaluations(true), evaluations(false) + 2);
}

}  // namespace
}  // namespace sbog::detail
