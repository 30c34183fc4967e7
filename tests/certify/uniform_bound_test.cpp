// SPDX-License-Identifier: Apache-2.0
// The uniform bound against the table of the theory and a finer search in long
// double.
#include "sbog/certify/uniform_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certify/support.h"

namespace sbog {
namespace uniform_bound_test {

using testing_support::invalid_argument_of;
using testing_support::kInfinity;
using testing_support::kNan;

UniformSetting setting_of(double epsilon, double count, double dim,
                          double log_min_support) {
  UniformSetting setting;
  setting.epsilon = epsilon;
  setting.count = count;
  setting.dim = dim;
  setting.log_min_support = log_min_support;
  return setting;
}

TEST(UniformBound, the_table_of_the_theory_is_reproduced) {
  const auto needed = [](double epsilon, double n, double dim) {
    return uniform_bound(setting_of(epsilon, n, dim, 0.0)).needed_support;
  };
  EXPECT_NEAR(needed(0.02, 1e3, 4), 0.31, 0.005);
  EXPECT_NEAR(needed(0.02, 1e4, 4), 0.10, 0.01);
  EXPECT_NEAR(needed(0.02, 1e5, 4), 0.034, 0.001);
  EXPECT_NEAR(needed(0.02, 1e6, 4), 0.011, 0.001);
  EXPECT_NEAR(needed(0.05, 1e5, 768), 0.39, 0.01);
  EXPECT_GT(needed(0.05, 1.3e4, 768), 1.0);
  EXPECT_LT(needed(0.05, 1.7e4, 768), 1.0);
}

TEST(UniformBound, the_grid_finds_the_minimum) {
  for (const double dim : {1.0, 4.0, 768.0}) {
    for (const double n : {10.0, 1e4, 1e9}) {
      const UniformSetting setting = setting_of(0.05, n, dim, 0.0);
      long double best = std::numeric_limits<long double>::infinity();
      for (int i = 0; i <= 32000; ++i) {
        const long double h = std::pow(10.0L, i / 2000.0L - 15.0L);
        const long double u =
            std::sqrt(std::log(2.0L / setting.delta *
                               std::pow(1 + 2 / h, (long double)dim)) /
                      (2.0L * n)) +
            2 * h / setting.epsilon;
        best = std::min(best, u);
      }
      const double found = uniform_bound(setting).deviation;
      EXPECT_GE(found, static_cast<double>(best) * (1 - 1e-12));
      EXPECT_LE(found, static_cast<double>(best) * (1 + 1e-3));
    }
  }
}

TEST(UniformBound, it_bounds_energies_where_support_is_everywhere) {
  const UniformBound bound =
      uniform_bound(setting_of(0.02, 1e6, 4, std::log(0.05)));
  ASSERT_FALSE(bound.is_vacuous);
  EXPECT_EQ(bound.reason, "");
  EXPECT_NEAR(bound.error, 2 * 0.02 * bound.deviation / 0.05, 1e-15);
}

TEST(UniformBound, on_the_whole_sphere_it_is_vacuous_and_says_why) {
  const UniformBound bound =
      uniform_bound(setting_of(0.02, 1e6, 4, log_sphere_support(0.02)));
  EXPECT_TRUE(bound.is_vacuous);
  EXPECT_EQ(bound.error, kInfinity);
  EXPECT_THAT(bound.reason,
              testing::MatchesRegex(
                  "Vacuous: with 1,000,000 reference points the bound needs a "
                  "support of at least 0\\.01[0-9]+ everywhere in the space, "
                  "and the smallest one is 3\\.72e-44\\."));
  const UniformBound hopeless = uniform_bound(setting_of(0.05, 1e3, 768, 0.0));
  EXPECT_TRUE(hopeless.is_vacuous);
  EXPECT_THAT(hopeless.reason, testing::HasSubstr("more than 1 everywhere"));
}

TEST(UniformBound, bad_input_is_refused) {
  const auto refused = [](auto change) {
    UniformSetting setting = setting_of(0.05, 100, 4, -1.0);
    change(setting);
    return invalid_argument_of([&] { uniform_bound(setting); });
  };
  for (const double bad : {0.0, 1.0, kNan}) {
    refused([&](UniformSetting& s) { s.delta = bad; });
  }
  refused([](UniformSetting& s) { s.count = 0.0; });
  refused([](UniformSetting& s) { s.dim = 0.0; });
  refused([](UniformSetting& s) { s.epsilon = kNan; });
  refused([](UniformSetting& s) { s.lipschitz = 0.0; });
  refused([](UniformSetting& s) { s.log_min_support = 0.1; });
}

}  // namespace uniform_bound_test
}  // namespace sbog
