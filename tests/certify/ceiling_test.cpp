// SPDX-License-Identifier: Apache-2.0
// The ceiling against golden values, its inverses and the interval it is the
// end of.
#include "sbog/certify/ceiling.h"

#include <gtest/gtest.h>

#include "certify/support.h"
#include "oracle/golden.h"
#include "sbog/certify/support_interval.h"

namespace sbog {
namespace ceiling_test {

using testing_support::kInfinity;
using testing_support::kNan;

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

}  // namespace ceiling_test
}  // namespace sbog
