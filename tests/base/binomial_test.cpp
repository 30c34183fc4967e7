// SPDX-License-Identifier: Apache-2.0
// The interval's ends against sums of binomial probabilities.
#include "sbog/base/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/errors.h"

namespace sbog {
namespace binomial_test {

// P(X >= k) for X binomial(n, p), term by term.
long double upper_tail(unsigned k, unsigned n, long double p) {
  long double sum = 0.0L;
  for (unsigned i = k; i <= n; ++i) {
    const long double log_term = std::lgamma(n + 1.0L) - std::lgamma(i + 1.0L) -
                                 std::lgamma(n - i + 1.0L) + i * std::log(p) +
                                 (n - i) * std::log1p(-p);
    sum += std::exp(log_term);
  }
  return sum;
}

TEST(Binomial, each_end_leaves_half_of_the_rest) {
  for (const auto& [k, n] : {std::pair{1u, 10u},
                             {5u, 10u},
                             {9u, 10u},
                             {3u, 400u},
                             {200u, 400u},
                             {399u, 400u}}) {
    for (const double level : {0.9, 0.95, 0.999}) {
      const Interval interval = clopper_pearson(k, n, level);
      const double rest = 0.5 * (1.0 - level);
      EXPECT_NEAR(upper_tail(k, n, interval.low), rest, 1e-12);
      EXPECT_NEAR(1.0L - upper_tail(k + 1, n, interval.high), rest, 1e-12);
    }
  }
}

TEST(Binomial, no_success_and_nothing_but_success_have_closed_forms) {
  const Interval none = clopper_pearson(0, 50, 0.95);
  EXPECT_EQ(none.low, 0.0);
  EXPECT_NEAR(none.high, 1.0 - std::pow(0.025, 1.0 / 50), 1e-14);
  const Interval all = clopper_pearson(50, 50, 0.95);
  EXPECT_NEAR(all.low, std::pow(0.025, 1.0 / 50), 1e-14);
  EXPECT_EQ(all.high, 1.0);
}

TEST(Binomial, knows_nothing_without_trials) {
  const Interval interval = clopper_pearson(0, 0);
  EXPECT_EQ(interval.low, 0.0);
  EXPECT_EQ(interval.high, 1.0);
}

TEST(Binomial, turns_down_what_cannot_be) {
  EXPECT_THROW((void)clopper_pearson(3, 2), InvalidArgument);
  EXPECT_THROW((void)clopper_pearson(1, 2, 0.0), InvalidArgument);
  EXPECT_THROW((void)clopper_pearson(1, 2, 1.0), InvalidArgument);
  EXPECT_THROW((void)clopper_pearson(1, 2, NAN), InvalidArgument);
}

}  // namespace binomial_test
}  // namespace sbog
