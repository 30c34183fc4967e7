// SPDX-License-Identifier: Apache-2.0
// The search alone, on divergences in closed form.
#include "sbog/dro/detail/radius_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sbog::detail {
namespace radius_search_test {

// x e^x - (e^x - 1), by its series where that would cancel.
long double psi(long double x) {
  if (std::abs(x) >= 0.1L) return x * std::exp(x) - std::expm1(x);
  long double sum = 0, power = x;
  for (int k = 2; k < 20; ++k) {
    power *= x / k;
    sum += (k - 1) * power;
  }
  return sum;
}

// Q = (1 - q, q) with gains (-1, 0): the tilted odds are q / (1 - q) e^theta.
// In long double, and KL as E_Q[psi(log(P / Q))], which does not cancel.
TiltMoments two_points(long double q, long double theta) {
  const long double log_s = std::log1p((1 - q) * std::expm1(-theta));
  const long double p = q / ((1 - q) * std::exp(-theta) + q);
  TiltMoments out;
  out.mean = double(p - 1);
  out.dual_mean = double(log_s / theta);
  out.variance = double(p * (1 - p));
  const long double divergence =
      q * psi(-log_s) + (1 - q) * psi(-theta - log_s);
  out.divergence = double(divergence);
  out.log_divergence = double(std::log(divergence));
  out.magnitude = theta < 0.5L ? 0.0 : double(std::abs(log_s));
  return out;
}

TEST(RadiusSearch, finds_two_point_tilts_of_every_size) {
  for (const double q : {0.5, 0.1, 1e-3, 1e-9, 0.999}) {
    const double most = -std::log(q);
    for (const double share :
         {1e-250, 1e-30, 1e-12, 1e-4, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-9}) {
      const double target = share * most;
      RadiusSearch search(target, most, q * (1.0 - q), 1e-12);
      int evaluations = 0;
      while (!search.is_done() && evaluations < 200) {
        search.observe(two_points(q, search.theta()));
        ++evaluations;
      }
      ASSERT_TRUE(search.is_done()) << q << " " << share;
      EXPECT_EQ(search.evaluation_count(), std::size_t(evaluations));
      EXPECT_LE(evaluations, 60) << q << " " << share;
      const TiltMoments found = two_points(q, search.theta());
      EXPECT_NEAR(std::exp(found.log_divergence - std::log(target)), 1.0,
                  1e-9 + 1e-15 / target * (search.theta() >= 0.5));
    }
  }
}

TEST(RadiusSearch, a_wrong_variance_only_costs_evaluations) {
  const double q = 0.2, most = -std::log(q);
  for (const double variance : {0.0, 1e-300, 1e-12, 1e12}) {
    RadiusSearch search(0.3 * most, most, variance, 1e-13);
    for (int i = 0; i < 150 && !search.is_done(); ++i) {
      search.observe(two_points(q, search.theta()));
    }
    ASSERT_TRUE(search.is_done()) << variance;
    EXPECT_NEAR(two_points(q, search.theta()).divergence, 0.3 * most, 1e-12);
  }
}

TEST(RadiusSearch, what_others_found_tightens_the_bracket) {
  const double q = 0.01, most = -std::log(q);
  RadiusSearch alone(0.4 * most, most, q * (1 - q), 1e-13);
  RadiusSearch helped(0.4 * most, most, q * (1 - q), 1e-13);
  for (int i = 0; i < 150 && !alone.is_done(); ++i) {
    alone.observe(two_points(q, alone.theta()));
  }
  const double theta = alone.theta();
  for (const double factor : {0.9, 1.1, 0.5, 2.0}) {
    helped.learn(factor * theta, two_points(q, factor * theta));
  }
  EXPECT_GT(helped.theta(), 0.9 * theta);
  EXPECT_LT(helped.theta(), 1.1 * theta);
  for (int i = 0; i < 150 && !helped.is_done(); ++i) {
    helped.observe(two_points(q, helped.theta()));
  }
  EXPECT_LE(helped.evaluation_count(), alone.evaluation_count());
  EXPECT_NEAR(helped.theta(), theta, 1e-10 * theta);
}

TEST(RadiusSearch, a_target_out_of_reach_ends_at_the_border) {
  // Claims a larger limit than the divergence has.
  RadiusSearch search(2.0, 3.0, 0.25, 1e-13);
  for (int i = 0; i < 100 && !search.is_done(); ++i) {
    search.observe(two_points(0.5, std::min(search.theta(), 1e4)));
  }
  EXPECT_TRUE(search.is_done());
  EXPECT_GT(search.theta(), 1e280);
}

}  // namespace radius_search_test
}  // namespace sbog::detail
