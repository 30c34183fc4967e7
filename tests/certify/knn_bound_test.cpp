// SPDX-License-Identifier: Apache-2.0
// Fits of exact power laws, the theorem by simulation, the decision bound by
// exact binomial probabilities.
#include "sbog/certify/knn_bound.h"

#include <gtest/gtest.h>

#include <numeric>

#include "certify/support.h"

namespace sbog {
namespace knn_bound_test {

using testing_support::binomial_mass;
using testing_support::kInfinity;
using testing_support::kNan;
using testing_support::Uniforms;

TEST(KnnBound, a_power_law_is_recovered) {
  for (const double c : {0.3, 2.0, 50.0}) {
    for (const double m : {0.7, 1.0, 3.5, 20.0}) {
      std::vector<double> radii;
      for (int i = 1; i <= 40; ++i) {
        radii.push_back(std::pow(i / 1000.0 / c, 1.0 / m));
      }
      const BallMassFit fit = fit_ball_mass(radii, 1000.0);
      EXPECT_NEAR(fit.exponent, m, 1e-9 * m);
      EXPECT_NEAR(fit.constant, c, 1e-7 * c);
      EXPECT_EQ(fit.largest_radius, radii.back());
      EXPECT_EQ(fit.radii, 40u);
    }
  }
}

TEST(KnnBound, the_fit_covers_every_radius) {
  Uniforms uniform(21);
  for (int t = 0; t < 50; ++t) {
    std::vector<double> radii;
    for (int i = 0; i < 30; ++i) radii.push_back(uniform(0, 1));
    std::sort(radii.begin(), radii.end());
    radii[0] = 0.0;  // a copy of v itself takes no part
    const BallMassFit fit = fit_ball_mass(radii, 500.0);
    EXPECT_EQ(fit.radii, 29u);
    for (std::size_t i = 1; i < radii.size(); ++i) {
      EXPECT_LE(static_cast<double>(i + 1) / 500.0,
                fit.constant * std::pow(radii[i], fit.exponent) * (1 + 1e-12));
    }
  }
}

TEST(KnnBound, the_theorem_holds_where_the_law_is_known) {
  // Uniform on [-1, 1] seen from 0: mass r, C = 1, m = 1.
  BallMassFit law;
  law.constant = 1.0;
  law.exponent = 1.0;
  law.largest_radius = 1.0;
  const double radius = 0.05;
  const std::size_t k = 6;
  const int n = 59;  // k / (2 * 0.05) = 60
  const KnnBound bound = knn_radius_bound(law, k, radius, n);
  ASSERT_FALSE(bound.is_vacuous);
  EXPECT_EQ(bound.reason, "");
  EXPECT_NEAR(bound.largest_count, 60.0, 1e-12);
  EXPECT_NEAR(bound.probability, 1.0 - std::exp(-1.0), 1e-15);
  EXPECT_STREQ(to_string(bound.evidence), "plug-in");
  long double farther = 0;  // fewer than k points within the radius
  for (int i = 0; i < 6; ++i) farther += binomial_mass(n, i, radius);
  EXPECT_GE(farther, bound.probability);
}

TEST(KnnBound, it_says_why_it_is_vacuous) {
  BallMassFit law;
  law.constant = 1.0;
  law.exponent = 1.0;
  law.largest_radius = 0.5;
  const KnnBound many = knn_radius_bound(law, 5, 0.1, 1000.0);
  EXPECT_TRUE(many.is_vacuous);
  EXPECT_EQ(many.probability, 0.0);
  EXPECT_EQ(many.reason,
            "Vacuous: the theorem asks for fewer than 25 points before it "
            "keeps neighbour 5 beyond 0.1, and there are 1,000.");
  const KnnBound beyond = knn_radius_bound(law, 5, 0.75, 3.0);
  EXPECT_TRUE(beyond.is_vacuous);
  EXPECT_EQ(beyond.reason,
            "Vacuous: the ball masses are known up to a radius of 0.5, which "
            "is below 0.75.");
}

TEST(KnnBound, the_decision_bound_covers_the_exact_flip) {
  for (const int n : {30, 200}) {
    for (const int k : {1, 5, 20}) {
      for (const double mass : {0.001, 0.01, 0.05, 0.2, 0.7}) {
        const double share = static_cast<double>(k) / n;
        long double flip = 0;  // population: farther iff mass <= k/n
        for (int i = 0; i <= n; ++i) {
          const bool is_farther = i < k;
          if (is_farther != (mass <= share)) flip += binomial_mass(n, i, mass);
        }
        const double bound =
            knn_flip_probability(static_cast<std::size_t>(k), n, mass);
        EXPECT_LE(flip, bound * (1 + 1e-12)) << n << " " << k << " " << mass;
        const auto plain = static_cast<double>(
            std::exp(-n * testing_support::plain_kl(share, mass)));
        EXPECT_NEAR(bound, plain, 1e-10 * plain + 1e-300);
      }
    }
  }
}

TEST(KnnBound, the_required_count_is_that_of_energies) {
  EXPECT_NEAR(knn_required_count(0.02, 0.01, 100.0, 0.05),
              std::log(2000.0) /
                  static_cast<double>(testing_support::plain_kl(0.02L, 0.01L)),
              1e-6);
  EXPECT_EQ(knn_required_count(0.02, 0.02, 100.0, 0.05), kInfinity);
}

TEST(KnnBound, bad_input_is_refused) {
  const std::vector<double> decreasing = {0.2, 0.1};
  const std::vector<double> negative = {-0.1, 0.1};
  const std::vector<double> broken = {0.1, kNan};
  const std::vector<double> equal = {0.1, 0.1};
  const std::vector<double> good = {0.1, 0.2};
  for (const auto& radii : {decreasing, negative, broken, equal}) {
    EXPECT_THROW(fit_ball_mass(radii, 10.0), InvalidArgument);
  }
  EXPECT_THROW(fit_ball_mass({}, 10.0), InvalidArgument);
  EXPECT_THROW(fit_ball_mass(good, 1.0), InvalidArgument);
  const BallMassFit fit = fit_ball_mass(good, 10.0);
  EXPECT_THROW(knn_radius_bound(fit, 0, 0.1, 10.0), InvalidArgument);
  EXPECT_THROW(knn_radius_bound(fit, 1, 0.0, 10.0), InvalidArgument);
  EXPECT_THROW(knn_radius_bound(fit, 1, 0.1, 0.0), InvalidArgument);
  EXPECT_THROW(knn_radius_bound({}, 1, 0.1, 10.0), InvalidArgument);
  EXPECT_THROW(knn_flip_probability(0, 10.0, 0.1), InvalidArgument);
  EXPECT_THROW(knn_flip_probability(11, 10.0, 0.1), InvalidArgument);
  EXPECT_THROW(knn_flip_probability(1, 10.0, 1.5), InvalidArgument);
  EXPECT_THROW(knn_required_count(0.1, 0.2, 1.0, 0.0), InvalidArgument);
}

}  // namespace knn_bound_test
}  // namespace sbog
