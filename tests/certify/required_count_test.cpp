// SPDX-License-Identifier: Apache-2.0
// Required counts against golden values, the table of the theory and exact
// binomial probabilities.
#include "sbog/certify/required_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certify/support.h"
#include "oracle/golden.h"
#include "sbog/certify/support_interval.h"

namespace sbog {
namespace required_count_test {

using testing_support::binomial_mass;
using testing_support::invalid_argument_of;
using testing_support::kInfinity;
using testing_support::kNan;
using testing_support::plain_kl_of_logs;

PoolSetting setting_of(double epsilon, double threshold, double margin,
                       double pool) {
  PoolSetting setting;
  setting.epsilon = epsilon;
  setting.threshold = threshold;
  setting.margin = margin;
  setting.pool = pool;
  setting.delta = 0.05;
  return setting;
}

TEST(RequiredCount, golden_values_agree) {
  for (const auto& entry : golden::entry("/cert/required_n")) {
    const auto number = [&](const char* name) {
      return golden::to_double(entry[name]);
    };
    PoolSetting setting = setting_of(number("eps"), number("tau"),
                                     number("Delta_E"), number("pool"));
    setting.delta = number("delta");
    const RequiredCounts counts = required_counts(setting);
    EXPECT_NEAR(std::exp(counts.log_min_support), number("K_min"),
                1e-12 * number("K_min"));
    // These have 12 digits.
    const auto expect = [&](double value, const char* name) {
      EXPECT_NEAR(value / number(name), 1.0, 1e-11) << name;
    };
    expect(counts.hoeffding, "hoeffding_n_real");
    expect(counts.one_sided, "kl_n_real");
    expect(counts.one_sided_closed, "poisson_form_n");
    EXPECT_EQ(std::ceil(counts.hoeffding), number("hoeffding_n"));
    EXPECT_EQ(std::ceil(counts.one_sided), number("kl_n"));
  }
}

TEST(RequiredCount, the_table_of_the_theory_is_reproduced) {
  struct Row {
    double epsilon, threshold, margin, pool, hoeffding, relative, one_sided;
  };
  for (const Row& row : {Row{0.02, 0.06, 0.02, 32768, 3.4e5, 8.4e3, 711},
                         Row{0.02, 0.10, 0.02, 32768, 1.8e7, 6.3e4, 5.4e3},
                         Row{0.02, 0.10, 0.04, 32768, 3.4e7, 5.8e4, 1.7e3},
                         Row{0.02, 0.138, 0.04, 32768, 1.5e9, 3.9e5, 1.2e4},
                         Row{0.05, 0.15, 0.05, 65536, 3.5e5, 8.8e3, 748},
                         Row{0.05, 0.345, 0.05, 65536, 8.6e8, 4.4e5, 3.8e4},
                         Row{0.10, 0.25, 0.05, 65536, 1.9e5, 1.1e4, 1.5e3}}) {
    const RequiredCounts counts = required_counts(
        setting_of(row.epsilon, row.threshold, row.margin, row.pool));
    EXPECT_NEAR(counts.hoeffding / row.hoeffding, 1.0, 0.05);
    EXPECT_NEAR(counts.relative / row.relative, 1.0, 0.05);
    EXPECT_NEAR(counts.one_sided / row.one_sided, 1.0, 0.05);
  }
}

TEST(RequiredCount, a_deep_outlier_costs_the_paper_dear_and_us_nothing) {
  PoolSetting setting = setting_of(0.02, 0.10, 0.02, 32768);
  const RequiredCounts before = required_counts(setting);
  setting.highest_energy = 0.30;
  const RequiredCounts after = required_counts(setting);
  EXPECT_NEAR(after.hoeffding / 1.2e15, 1.0, 0.05);
  EXPECT_EQ(after.one_sided, before.one_sided);
}

TEST(RequiredCount, the_closed_form_is_never_smaller) {
  testing_support::Uniforms uniform(9);
  for (int i = 0; i < 1000; ++i) {
    const RequiredCounts counts = required_counts(
        setting_of(uniform(0.01, 1), uniform(0.001, 2), uniform(0.001, 2),
                   std::floor(uniform(1, 1e5))));
    EXPECT_GE(counts.one_sided_closed, counts.one_sided * (1 - 1e-9));
    EXPECT_LE(counts.one_sided, counts.relative);
    EXPECT_LE(counts.one_sided, counts.hoeffding);
  }
}

TEST(RequiredCount, the_flip_bound_is_its_sum) {
  const std::vector<double> energies = {0.02, 0.05, 0.08, 0.13, kInfinity};
  const double epsilon = 0.03;
  const double threshold = 0.1;
  for (const double n : {1.0, 40.0, 500.0, 20000.0}) {
    long double sum = 0;
    for (const double energy : energies) {
      // Infinite energy: kl(kappa||0) is infinite, no flip at all.
      if (std::isinf(energy)) continue;
      sum += std::exp(
          -n * plain_kl_of_logs(-threshold / epsilon, -energy / epsilon));
    }
    const auto expected = static_cast<double>(std::min(1.0L, sum));
    EXPECT_NEAR(flip_probability(energies, threshold, epsilon, n), expected,
                1e-10 * expected);
  }
  EXPECT_EQ(flip_probability({}, threshold, epsilon, 10.0), 0.0);
  const std::vector<double> on = {threshold};
  EXPECT_EQ(flip_probability(on, threshold, epsilon, 1e9), 1.0);
}

TEST(RequiredCount, the_count_for_a_flip_bound_meets_it_tightly) {
  testing_support::Uniforms uniform(10);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> energies;
    for (int v = 0; v < 30; ++v) energies.push_back(uniform(0.0, 0.3));
    const double n = count_for_flip_probability(energies, 0.15, 0.05, 0.05);
    EXPECT_LE(flip_probability(energies, 0.15, 0.05, n), 0.05 * (1 + 1e-9));
    EXPECT_GT(flip_probability(energies, 0.15, 0.05, 0.999 * n), 0.05);
  }
  const std::vector<double> on = {0.15, 0.2};
  EXPECT_EQ(count_for_flip_probability(on, 0.15, 0.05, 0.05), kInfinity);
  EXPECT_EQ(count_for_flip_probability({}, 0.15, 0.05, 0.05), 1.0);
}

TEST(RequiredCount, the_worst_case_law_flips_less_often_than_promised) {
  // psi in {0, 1}: the mean of n is binomial, so the flip is known exactly.
  for (const double kappa : {0.3, 0.1, 0.02}) {
    for (const double ratio : {0.3, 0.6, 1.5, 3.0}) {
      const double support = kappa * ratio;
      if (support >= 1.0) continue;
      const double delta = 0.05;
      const double epsilon = 0.1;
      const std::vector<double> energies = {-epsilon * std::log(support)};
      const double tau = -epsilon * std::log(kappa);
      const int n = static_cast<int>(
          std::ceil(count_for_flip_probability(energies, tau, epsilon, delta)));
      long double flip = 0;
      for (int k = 0; k <= n; ++k) {
        const bool accepts = k <= n * kappa;
        if (accepts != (support <= kappa)) flip += binomial_mass(n, k, support);
      }
      EXPECT_LE(flip, delta);
      EXPECT_GT(flip, delta / 50);  // valid, and not absurdly so
    }
  }
}

TEST(RequiredCount, hoeffding_at_a_thousand_points_says_nothing) {
  const HoeffdingBound vacuous =
      hoeffding_bound(setting_of(0.02, 0.05, 0.01, 32768), 1000.0);
  EXPECT_TRUE(vacuous.is_vacuous);
  EXPECT_EQ(vacuous.error, kInfinity);
  EXPECT_NEAR(vacuous.deviation, 0.084, 5e-4);
  EXPECT_NEAR(vacuous.highest_energy, 0.036, 5e-4);
  const HoeffdingBound useful =
      hoeffding_bound(setting_of(0.02, 0.01, 0.01, 32768), 1e6);
  EXPECT_FALSE(useful.is_vacuous);
  EXPECT_NEAR(useful.error,
              2 * 0.02 * useful.deviation / std::exp(-0.02 / 0.02), 1e-15);
}

TEST(RequiredCount, bad_input_is_refused_in_a_sentence) {
  const PoolSetting good = setting_of(0.1, 0.2, 0.05, 10);
  const auto refused = [&](auto change) {
    PoolSetting setting = good;
    change(setting);
    return invalid_argument_of([&] { required_counts(setting); });
  };
  for (const double bad : {0.0, 1.0, kNan, -1.0}) {
    EXPECT_THAT(refused([&](PoolSetting& s) { s.delta = bad; }),
                testing::StartsWith("delta: a probability strictly between"));
  }
  refused([](PoolSetting& s) { s.epsilon = 0.0; });
  refused([](PoolSetting& s) { s.margin = 0.0; });
  refused([](PoolSetting& s) { s.margin = kNan; });
  refused([](PoolSetting& s) { s.threshold = kInfinity; });
  refused([](PoolSetting& s) { s.pool = 0.0; });
  refused([](PoolSetting& s) { s.highest_energy = 0.1; });
  const std::vector<double> energies = {0.1};
  const std::vector<double> broken = {kNan};
  EXPECT_THROW(flip_probability(energies, 0.1, 0.1, 0.0), InvalidArgument);
  EXPECT_THROW(flip_probability(energies, kNan, 0.1, 5.0), InvalidArgument);
  EXPECT_THROW(flip_probability(broken, 0.1, 0.1, 5.0), InvalidArgument);
  EXPECT_THROW(count_for_flip_probability(energies, 0.2, 0.1, 1.0),
               InvalidArgument);
  EXPECT_THROW(hoeffding_bound(good, 0.0), InvalidArgument);
}

TEST(Ceiling, golden_values_agree) {
  const auto entry = golden::entry("/cert/ceiling");
  const auto number = [&](const char* name) {
    return golden::to_double(entry[name]);
  };
  const double failure = number("delta") / number("pool");
  EXPECT_NEAR(certifiable_ceiling(number("eps"), number("n"), failure),
              number("exact"), 1e-12 * number("exact"));
  EXPECT_NEAR(number("eps") * std::log(number("n") / std::log(1 / failure)),
              number("approx"), 1e-12);
}

TEST(Ceiling, epsilon_and_count_put_the_ceiling_at_the_threshold) {
  testing_support::Uniforms uniform(11);
  for (int i = 0; i < 500; ++i) {
    const double threshold = uniform(0.001, 3);
    const double epsilon = uniform(0.01, 1);
    const double n = uniform(1, 1e5);
    const double failure = std::exp(uniform(-20, -0.1));
    EXPECT_NEAR(certifiable_ceiling(smallest_epsilon(threshold, n, failure), n,
                                    failure),
                threshold, 1e-12 * threshold);
    const double count = smallest_count(threshold, epsilon, failure);
    if (count > 1.0 && count < 1e12) {
      EXPECT_NEAR(certifiable_ceiling(epsilon, count, failure), threshold,
                  1e-9 * threshold);
    }
  }
  EXPECT_EQ(smallest_count(0.0, 0.1, 0.05), 1.0);
}

TEST(Ceiling, it_is_what_an_unsupported_point_can_show) {
  const double epsilon = 0.05;
  const double delta = 0.02;
  const Interval energies = energy_interval(
      combined_interval({-kInfinity, 0.0, 700.0}, delta), epsilon);
  EXPECT_NEAR(energies.low, certifiable_ceiling(epsilon, 700.0, delta / 4),
              1e-14);
}

TEST(Ceiling, bad_input_is_refused) {
  for (const double bad : {0.0, 1.0, kNan}) {
    EXPECT_THROW(certifiable_ceiling(0.1, 10.0, bad), InvalidArgument);
    EXPECT_THROW(smallest_epsilon(0.1, 10.0, bad), InvalidArgument);
    EXPECT_THROW(smallest_count(0.1, 0.1, bad), InvalidArgument);
  }
  EXPECT_THROW(certifiable_ceiling(0.1, 0.0, 0.05), InvalidArgument);
  EXPECT_THROW(certifiable_ceiling(0.0, 10.0, 0.05), InvalidArgument);
  EXPECT_THROW(smallest_epsilon(-0.1, 10.0, 0.05), InvalidArgument);
  EXPECT_THROW(smallest_count(kInfinity, 0.1, 0.05), InvalidArgument);
}

}  // namespace required_count_test
}  // namespace sbog
