// SPDX-License-Identifier: Apache-2.0
// Simulated coverage, fixed seeds: no interval misses the truth more often than
// its level allows, for the worst law (psi in {0, 1}) and for smooth ones. An
// interval that does not hold its level is caught by the same count.
#include <gtest/gtest.h>

#include "certify/support.h"
#include "sbog/certify/support_interval.h"

namespace sbog {
namespace interval_coverage_test {

using testing_support::most_violations;
using testing_support::Uniforms;

constexpr double kFailure = 0.2;
constexpr int kTrials = 2000;

// psi with mean K: a coin, or a power u^a of a uniform, K = 1/(1+a).
struct Law {
  bool is_coin;
  double support;
  double draw(Uniforms& uniform) const {
    const double u = uniform();
    if (is_coin) return u < support ? 1.0 : 0.0;
    return std::pow(u, 1.0 / support - 1.0);
  }
};

SupportSample sample_of(const Law& law, int n, Uniforms& uniform) {
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < n; ++i) {
    const double psi = law.draw(uniform);
    sum += psi;
    squares += psi * psi;
  }
  const double variance = std::max(0.0, (squares - sum * sum / n) / (n - 1.0));
  return {std::min(0.0, std::log(sum / n)), variance, static_cast<double>(n)};
}

template <class MakeInterval>
int violations(const Law& law, int n, std::uint32_t seed,
               const MakeInterval& make) {
  Uniforms uniform(seed);
  int missed = 0;
  for (int t = 0; t < kTrials; ++t) {
    const LogInterval interval = make(sample_of(law, n, uniform));
    const double truth = std::log(law.support);
    // A truth on the end itself is inside; rounding must not move it out.
    if (truth < interval.low - 1e-12 || truth > interval.high + 1e-12) {
      ++missed;
    }
  }
  return missed;
}

const std::vector<std::pair<Law, int>>& settings() {
  static const std::vector<std::pair<Law, int>> kSettings = {
      {{true, 0.02}, 60}, {{true, 0.2}, 60},   {{true, 0.5}, 25},
      {{true, 0.9}, 40},  {{true, 0.05}, 150}, {{false, 0.02}, 60},
      {{false, 0.2}, 40}, {{false, 0.5}, 25},  {{false, 0.9}, 10}};
  return kSettings;
}

template <class MakeInterval>
void expect_level(const MakeInterval& make) {
  std::uint32_t seed = 100;
  for (const auto& [law, n] : settings()) {
    EXPECT_LE(violations(law, n, ++seed, make),
              most_violations(kTrials, kFailure))
        << law.is_coin << " " << law.support << " " << n;
  }
}

TEST(IntervalCoverage, kl_holds_its_level) {
  expect_level([](const SupportSample& s) { return kl_interval(s, kFailure); });
}

TEST(IntervalCoverage, empirical_bernstein_holds_its_level) {
  expect_level(
      [](const SupportSample& s) { return bernstein_interval(s, kFailure); });
}

TEST(IntervalCoverage, the_intersection_holds_its_level) {
  expect_level(
      [](const SupportSample& s) { return combined_interval(s, kFailure); });
}

TEST(IntervalCoverage, kl_is_not_far_from_its_level_for_coins) {
  // Two-sided Chernoff at 0.2: the truth is missed now and then, not never.
  const int missed = violations({true, 0.2}, 60, 7, [](const auto& s) {
    return kl_interval(s, kFailure);
  });
  EXPECT_GT(missed, kTrials / 100);
}

TEST(IntervalCoverage, mean_plus_minus_deviations_is_caught) {
  // The normal interval at the same level: with K = 0.02 and 60 points, it is
  // empty as often as no point supports, 0.98^60 = 30 %.
  const int missed = violations({true, 0.02}, 60, 8, [](const auto& s) {
    const double mean = std::exp(s.log_mean);
    const double width = 1.2816 * std::sqrt(s.variance / s.count);
    return LogInterval{std::log(std::max(0.0, mean - width)),
                       std::log(std::min(1.0, mean + width))};
  });
  EXPECT_GT(missed, most_violations(kTrials, kFailure));
}

}  // namespace interval_coverage_test
}  // namespace sbog
