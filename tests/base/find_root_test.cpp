// SPDX-License-Identifier: Apache-2.0
// Roots against closed forms.
#include "sbog/base/find_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace sbog {
namespace find_root_test {

template <typename Function>
RootInterval interval_of(Function function, double a, double b,
                         const RootOptions& options = {}) {
  return find_root(function, {a, b, function(a), function(b)}, options);
}

TEST(FindRoot, is_the_root_of_closed_forms_from_either_side) {
  for (const int halve_every : {0, 2, 3}) {
    const RootOptions options{200, 1e-12, halve_every};
    const auto expect = [&](auto function, double low, double high,
                            double truth) {
      EXPECT_NEAR(interval_of(function, low, high, options).root(), truth,
                  2e-12);
      EXPECT_NEAR(interval_of(function, high, low, options).root(), truth,
                  2e-12);
    };
    expect([](double x) { return x * x - 2.0; }, 0.0, 2.0, std::numbers::sqrt2);
    expect([](double x) { return 1.0 - std::exp(x - 1.0); }, -4.0, 4.0, 1.0);
    expect([](double x) { return std::tan(x) - 1.0; }, 0.0, 1.5,
           0.25 * std::numbers::pi);
    expect([](double x) { return 3.0 * x + 6.0; }, -10.0, 10.0, -2.0);
  }
}

TEST(FindRoot, both_ends_close_in) {
  // Plain regula falsi keeps the upper end here for ever.
  const RootInterval found =
      interval_of([](double x) { return std::pow(x, 9.0) - 1e-3; }, 0.0, 2.0,
                  {100, 1e-6, 3});
  EXPECT_LE(std::abs(found.b - found.a), 1e-6);
  EXPECT_NEAR(found.root(), std::pow(1e-3, 1.0 / 9.0), 1e-6);
}

TEST(FindRoot, an_end_or_a_step_that_is_a_root_ends_it) {
  int calls = 0;
  const auto line = [&](double x) {
    ++calls;
    return x - 1.0;
  };
  EXPECT_EQ(find_root(line, {1.0, 3.0, 0.0, 2.0}, {}).root(), 1.0);
  EXPECT_EQ(find_root(line, {-3.0, 1.0, -4.0, 0.0}, {}).root(), 1.0);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(find_root(line, {0.0, 2.0, -1.0, 1.0}, {}).root(), 1.0);
  EXPECT_EQ(calls, 1);
}

TEST(FindRoot, halves_where_a_value_is_not_finite) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> asked;
  const auto cliff = [&](double x) {
    asked.push_back(x);
    return x > 3.0 ? infinity : x - 0.5;
  };
  const RootInterval found =
      find_root(cliff, {0.0, 8.0, -0.5, infinity}, {60, 1e-9, 0});
  EXPECT_NEAR(found.root(), 0.5, 1e-9);
  ASSERT_GE(asked.size(), 2u);
  EXPECT_EQ(asked[0], 4.0);
  EXPECT_EQ(asked[1], 2.0);
}

TEST(FindRoot, calls_no_more_often_than_it_may) {
  int calls = 0;
  const auto cubic = [&](double x) {
    ++calls;
    return x * x * x - 0.1;
  };
  find_root(cubic, {-1.0, 7.0, -1.1, 342.9}, {5, 0.0, 0});
  EXPECT_EQ(calls, 5);
}

}  // namespace find_root_test
}  // namespace sbog
