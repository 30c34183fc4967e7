// SPDX-License-Identifier: Apache-2.0
// The ends of the region lie where the likelihood ratio says.
#include "sbog/energy/detail/tail_region.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracle/energy_oracle.h"

namespace sbog::detail {
namespace tail_region_test {

struct Case {
  std::vector<double> excesses;
  std::size_t n = 0;
  ParetoTail fit;
};

Case case_of(double shape, std::size_t exceedances, std::uint64_t seed) {
  Case made;
  for (const double u : oracle::uniforms(exceedances, seed)) {
    made.excesses.push_back(ParetoTail{shape, 2.0}.excess_at(u));
  }
  made.n = 10 * exceedances;
  made.fit = fit_pareto_tail(made.excesses);
  return made;
}

// Log-likelihood of the share, the shape and the scale together.
double log_likelihood(const Case& c, const TailPoint& at) {
  const auto m = static_cast<double>(c.excesses.size());
  const auto n = static_cast<double>(c.n);
  return m * std::log(at.share) + (n - m) * std::log(1.0 - at.share) -
         penalised_loss(c.excesses, at.law);
}

TEST(TailRegion, every_end_has_the_wanted_likelihood_ratio) {
  for (const double shape : {-0.2, 0.0, 0.2}) {
    const Case c = case_of(shape, 300, 1);
    const auto region =
        tail_region(c.excesses, c.n, c.fit, {.seed = 5, .deviations = 1.7});
    ASSERT_EQ(region.size(), 200u);
    const double best = log_likelihood(c, {0.1, c.fit});
    for (const TailPoint& point : region) {
      EXPECT_NEAR(std::sqrt(2.0 * (best - log_likelihood(c, point))), 1.7,
                  0.01);
    }
  }
}

TEST(TailRegion, reaches_as_far_as_the_profile_likelihood) {
  // Of the shape alone: the largest on the region against a search by hand.
  const Case c = case_of(0.0, 400, 2);
  const auto region = tail_region(
      c.excesses, c.n, c.fit, {.seed = 6, .draws = 2000, .deviations = 1.5});
  double largest = -1.0;
  for (const TailPoint& point : region) {
    largest = std::max(largest, point.law.shape);
  }
  const double least = penalised_loss(c.excesses, c.fit);
  double profile = c.fit.shape;
  for (double xi = c.fit.shape; xi < 0.5; xi += 1e-3) {
    double best = 1e300;
    for (int j = -300; j <= 300; ++j) {
      best = std::min(
          best,
          penalised_loss(c.excesses, {xi, c.fit.scale * std::exp(1e-3 * j)}));
    }
    if (std::sqrt(2.0 * (best - least)) <= 1.5) profile = xi;
  }
  EXPECT_NEAR(largest, profile, 0.03 * (profile - c.fit.shape));
}

TEST(TailRegion, stops_at_the_limits_of_the_shape) {
  const Case c = case_of(0.5, 60, 3);
  for (const TailPoint& point :
       tail_region(c.excesses, c.n, c.fit, {.seed = 7, .deviations = 6.0})) {
    EXPECT_LE(std::abs(point.law.shape), kShapeLimit);
    EXPECT_GT(point.law.scale, 0.0);
    EXPECT_GT(point.share, 0.0);
    EXPECT_LT(point.share, 1.0);
    EXPECT_TRUE(std::isfinite(penalised_loss(c.excesses, point.law)));
  }
}

TEST(TailRegion, draws_are_keyed_by_seed_and_stream) {
  const Case c = case_of(0.1, 100, 4);
  const auto shapes = [&](std::uint64_t seed, std::uint64_t stream,
                          std::size_t draws) {
    std::vector<double> found;
    for (const TailPoint& point :
         tail_region(c.excesses, c.n, c.fit,
                     {.seed = seed, .stream = stream, .draws = draws})) {
      found.push_back(point.law.shape);
    }
    return found;
  };
  const auto first = shapes(1, 2, 20);
  EXPECT_EQ(first, shapes(1, 2, 20));
  EXPECT_NE(first, shapes(2, 2, 20));
  EXPECT_NE(first, shapes(1, std::uint64_t{3} << 32, 20));
  // More draws begin with the same.
  auto more = shapes(1, 2, 30);
  more.resize(20);
  EXPECT_EQ(first, more);
}

}  // namespace tail_region_test
}  // namespace sbog::detail
