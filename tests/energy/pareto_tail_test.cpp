// SPDX-License-Identifier: Apache-2.0
// The generalised Pareto law against closed forms, its fit against a grid.
#include "sbog/energy/detail/pareto_tail.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "oracle/energy_oracle.h"

namespace sbog::detail {
namespace pareto_tail_test {

std::vector<double> sample_of(const ParetoTail& law, std::size_t n,
                              std::uint64_t seed) {
  std::vector<double> values = oracle::uniforms(n, seed);
  for (double& value : values) value = law.excess_at(value);
  return values;
}

// As it is written in books.
double plain_loss(const std::vector<double>& excesses, double xi, double beta) {
  double sum = 0.0;
  for (const double y : excesses) {
    sum += std::log(beta) + (1.0 + 1.0 / xi) * std::log(1.0 + xi * y / beta);
  }
  return sum + 0.5 * xi * xi / 0.04;
}

TEST(ParetoTail, has_the_survival_of_the_books) {
  const ParetoTail heavy{0.5, 2.0};
  EXPECT_NEAR(heavy.survival(4.0), 0.25, 1e-15);  // (1 + 1)^-2
  const ParetoTail bounded{-0.5, 2.0};            // ends at 4
  EXPECT_NEAR(bounded.survival(2.0), 0.25, 1e-15);
  EXPECT_EQ(bounded.survival(4.0), 0.0);
  EXPECT_EQ(bounded.survival(5.0), 0.0);
  const ParetoTail exponential{0.0, 3.0};
  EXPECT_NEAR(exponential.survival(3.0), std::exp(-1.0), 1e-15);
  for (const ParetoTail& law : {heavy, bounded, exponential}) {
    EXPECT_EQ(law.survival(0.0), 1.0);
    EXPECT_EQ(law.survival(std::numeric_limits<double>::infinity()), 0.0);
    for (const double p : {1.0, 0.7, 1e-3, 1e-9}) {
      EXPECT_NEAR(law.survival(law.excess_at(p)), p, 1e-12 * p + 1e-15);
    }
  }
}

TEST(ParetoTail, the_series_near_zero_meet_the_formulas) {
  for (const double xi : {1e-12, 1e-7, 0.9e-4, 1.1e-4, -0.9e-4, -1e-7}) {
    const ParetoTail law{xi, 1.0};
    for (const double y : {0.1, 1.0, 5.0, 20.0}) {
      const double exact = std::exp(-std::log1p(xi * y) / xi);
      EXPECT_NEAR(law.survival(y) / exact, 1.0, 1e-11) << xi << " " << y;
    }
    EXPECT_NEAR(law.excess_at(1e-3), std::expm1(-xi * std::log(1e-3)) / xi,
                1e-11);
  }
}

TEST(ParetoTail, the_loss_is_that_of_the_plain_formula) {
  const std::vector<double> sample = sample_of({0.2, 1.5}, 80, 1);
  for (const double xi : {-0.2, 0.1, 0.4}) {
    EXPECT_NEAR(penalised_loss(sample, {xi, 2.5}), plain_loss(sample, xi, 2.5),
                1e-10);
  }
  EXPECT_TRUE(std::isinf(penalised_loss(sample, {-0.5, 0.1})));
}

TEST(ParetoTail, the_fit_is_the_best_of_a_grid) {
  for (const double truth : {-0.4, -0.1, 0.0, 0.3, 0.5}) {
    for (const std::size_t n : {1u, 2u, 50u, 400u}) {
      const std::vector<double> sample = sample_of({truth, 0.7}, n, 10 + n);
      const ParetoTail found = fit_pareto_tail(sample);
      EXPECT_LE(std::abs(found.shape), kShapeLimit);
      const double least = penalised_loss(sample, found);
      for (int i = -50; i <= 50; ++i) {
        for (int j = -60; j <= 60; ++j) {
          const ParetoTail other{0.01 * i, found.scale * std::exp(0.02 * j)};
          EXPECT_GE(penalised_loss(sample, other), least - 1e-9);
        }
      }
      // Wherever it starts.
      const ParetoTail again = fit_pareto_tail(sample, {-0.45, 9.0});
      EXPECT_NEAR(again.shape, found.shape, 1e-6);
      EXPECT_NEAR(again.scale, found.scale, 1e-5 * found.scale);
    }
  }
}

TEST(ParetoTail, the_fit_scales_with_the_excesses) {
  std::vector<double> sample = sample_of({0.1, 1.0}, 200, 3);
  const ParetoTail found = fit_pareto_tail(sample);
  for (double& y : sample) y *= 1e-6;
  const ParetoTail small = fit_pareto_tail(sample);
  EXPECT_NEAR(small.shape, found.shape, 1e-7);
  EXPECT_NEAR(small.scale, 1e-6 * found.scale, 1e-12);
}

TEST(ParetoTail, equal_excesses_have_a_fit) {
  const ParetoTail found = fit_pareto_tail(std::vector<double>(60, 2.0));
  EXPECT_EQ(found.shape, -kShapeLimit);
  EXPECT_NEAR(found.scale, 2.0, 1e-9);
}

}  // namespace pareto_tail_test
}  // namespace sbog::detail
