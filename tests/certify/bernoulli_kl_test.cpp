// SPDX-License-Identifier: Apache-2.0
// kl against golden values and long double; the inverses against kl itself.
#include "sbog/certify/bernoulli_kl.h"

#include <gtest/gtest.h>

#include "certify/support.h"
#include "oracle/golden.h"

namespace sbog {
namespace bernoulli_kl_test {

using testing_support::kInfinity;
using testing_support::kNan;
using testing_support::plain_kl_of_logs;
using testing_support::Uniforms;

TEST(BernoulliKl, golden_values_agree) {
  for (const auto& entry : golden::entry("/cert/kl_bernoulli")) {
    const double p = golden::to_double(entry["p"]);
    const double q = golden::to_double(entry["q"]);
    const double expected = golden::to_double(entry["kl"]);
    EXPECT_NEAR(bernoulli_kl(p, q), expected, 1e-12 * expected);
    EXPECT_NEAR(bernoulli_kl_of_logs(std::log(p), std::log(q)), expected,
                1e-12 * expected);
  }
}

TEST(BernoulliKl, random_pairs_agree_with_long_double) {
  Uniforms uniform(1);
  for (int i = 0; i < 20000; ++i) {
    const double log_p = -std::exp(uniform(-12, 6));
    const double log_q = -std::exp(uniform(-12, 6));
    const auto expected = plain_kl_of_logs(log_p, log_q);
    const double apart = std::abs(log_p - log_q);
    // The plain form loses the digits that the linear terms cancel.
    const double tolerance = 1e-12 + 1e-17 / std::min(1.0, apart);
    EXPECT_NEAR(bernoulli_kl_of_logs(log_p, log_q),
                static_cast<double>(expected),
                tolerance * static_cast<double>(expected))
        << log_p << " " << log_q;
    const double p = std::exp(log_p);
    const double q = std::exp(log_q);
    const auto rounded = static_cast<double>(
        plain_kl_of_logs(std::log(static_cast<long double>(p)),
                         std::log(static_cast<long double>(q))));
    EXPECT_NEAR(bernoulli_kl(p, q), rounded, 1e-9 * rounded) << p << " " << q;
  }
}

TEST(BernoulliKl, close_coins_keep_their_digits) {
  for (const double p : {1e-200, 1e-6, 0.3, 0.5, 0.8}) {
    for (const double relative : {1e-3, 1e-6, 1e-9, -1e-9}) {
      const double q = p * (1.0 + relative);
      const long double d = (static_cast<long double>(q) - p);
      const long double a = d / p;
      const long double b = d / (1.0L - p);
      // p a^2/2 - p a^3/3 + (1-p) b^2/2 + (1-p) b^3/3 + ...
      const long double expected =
          p * a * a * (0.5L - a / 3 + a * a / 4) +
          (1.0L - p) * b * b * (0.5L + b / 3 + b * b / 4);
      EXPECT_NEAR(bernoulli_kl(p, q) / static_cast<double>(expected), 1.0,
                  1e-7);
    }
  }
}

TEST(BernoulliKl, the_ends_are_exact) {
  EXPECT_EQ(bernoulli_kl(0.0, 0.0), 0.0);
  EXPECT_EQ(bernoulli_kl(1.0, 1.0), 0.0);
  EXPECT_EQ(bernoulli_kl(0.4, 0.4), 0.0);
  EXPECT_EQ(bernoulli_kl(0.3, 0.0), kInfinity);
  EXPECT_EQ(bernoulli_kl(0.3, 1.0), kInfinity);
  EXPECT_EQ(bernoulli_kl(0.0, 1.0), kInfinity);
  EXPECT_NEAR(bernoulli_kl(0.0, 0.25), -std::log(0.75), 1e-15);
  EXPECT_NEAR(bernoulli_kl(1.0, 0.25), -std::log(0.25), 1e-15);
  EXPECT_NEAR(bernoulli_kl_of_logs(-kInfinity, -1.0),
              -std::log1p(-std::exp(-1.0)), 1e-15);
}

TEST(BernoulliKl, inverses_spend_the_budget) {
  Uniforms uniform(2);
  for (int i = 0; i < 20000; ++i) {
    const double log_p = -std::exp(uniform(-10, 7.6));  // down to e^-2000
    const double budget = std::exp(uniform(-25, 3));
    for (const bool is_upper : {false, true}) {
      const double log_q =
          is_upper ? log_kl_upper(log_p, budget) : log_kl_lower(log_p, budget);
      const double apart = std::abs(log_q - log_p);
      if (is_upper) {
        ASSERT_GE(log_q, log_p);
        ASSERT_LE(log_q, 0.0);
      } else {
        ASSERT_LE(log_q, log_p);
      }
      if (std::isinf(log_q)) {  // beyond e^-1e308
        EXPECT_GT(std::log(budget) - log_p, 700.0);
        continue;
      }
      // Where 1 - q is all that counts, log q holds too few of its digits.
      if (log_q > -1e-6) continue;
      const double spent = static_cast<double>(plain_kl_of_logs(log_p, log_q));
      // A rounding of log q moves kl by its slope.
      const double slack =
          1e-11 + 1e-15 * (1.0 + std::abs(log_q)) / std::min(1.0, apart) +
          1e-15 / -std::expm1(log_q);
      EXPECT_NEAR(spent / budget, 1.0, slack)
          << log_p << " " << budget << " " << is_upper;
    }
  }
}

TEST(BernoulliKl, a_coin_that_never_falls_has_a_closed_bound) {
  for (const double budget : {1e-9, 0.01, 2.0, 50.0}) {
    EXPECT_NEAR(std::exp(log_kl_upper(-kInfinity, budget)),
                -std::expm1(-budget), 1e-15);
    EXPECT_EQ(log_kl_lower(-kInfinity, budget), -kInfinity);
    EXPECT_EQ(log_kl_upper(0.0, budget), 0.0);
    EXPECT_EQ(log_kl_lower(0.0, budget), -budget);
  }
  EXPECT_EQ(log_kl_upper(-2.0, 0.0), -2.0);
  EXPECT_EQ(log_kl_lower(-2.0, 0.0), -2.0);
  EXPECT_EQ(log_kl_upper(-2.0, kInfinity), 0.0);
  EXPECT_EQ(log_kl_lower(-2.0, kInfinity), -kInfinity);
}

TEST(BernoulliKl, tiny_supports_keep_finite_logarithms) {
  // t - 1 + e^-t = 1 has t = 1.84....
  EXPECT_NEAR(log_kl_lower(-700.0, std::exp(-700.0)),
              -700.0 - 1.8414056604369606, 1e-9);
  // The bound itself is far below the smallest double.
  EXPECT_NEAR(log_kl_lower(-2.3, 100.0), -2.3 - 100.0 * std::exp(2.3), 2.0);
  EXPECT_LT(log_kl_lower(-20.0, 1.0), -1e8);
  EXPECT_NEAR(log_kl_upper(-800.0, 0.5), std::log(-std::expm1(-0.5)), 1e-14);
}

TEST(BernoulliKl, a_larger_budget_reaches_farther) {
  Uniforms uniform(3);
  for (int i = 0; i < 2000; ++i) {
    const double log_p = -std::exp(uniform(-8, 6));
    const double budget = std::exp(uniform(-20, 2));
    EXPECT_LE(log_kl_lower(log_p, 1.1 * budget), log_kl_lower(log_p, budget));
    EXPECT_GE(log_kl_upper(log_p, 1.1 * budget), log_kl_upper(log_p, budget));
  }
}

TEST(BernoulliKl, bad_input_is_refused) {
  for (const double bad : {-0.1, 1.1, kNan}) {
    EXPECT_THROW(bernoulli_kl(bad, 0.5), InvalidArgument);
    EXPECT_THROW(bernoulli_kl(0.5, bad), InvalidArgument);
  }
  for (const double bad : {0.1, kNan}) {
    EXPECT_THROW(bernoulli_kl_of_logs(bad, -1.0), InvalidArgument);
    EXPECT_THROW(log_kl_lower(bad, 1.0), InvalidArgument);
    EXPECT_THROW(log_kl_upper(bad, 1.0), InvalidArgument);
  }
  for (const double bad : {-0.1, kNan}) {
    EXPECT_THROW(log_kl_lower(-1.0, bad), InvalidArgument);
    EXPECT_THROW(log_kl_upper(-1.0, bad), InvalidArgument);
  }
}

}  // namespace bernoulli_kl_test
}  // namespace sbog
