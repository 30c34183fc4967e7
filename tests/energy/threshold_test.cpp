// SPDX-License-Identifier: Apache-2.0
// Quantiles, thresholds and p-values.
#include "sbog/energy/threshold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "energy/support.h"
#include "oracle/energy_oracle.h"
#include "oracle/golden.h"

namespace sbog {
namespace threshold_test {

using testing::HasSubstr;
using testing_support::invalid_argument_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> count_to(std::size_t n) {  // 1, 2, ... n, shuffled a little
  std::vector<double> values;
  for (std::size_t i = 1; i <= n; ++i) values.push_back(static_cast<double>(i));
  std::reverse(values.begin() + static_cast<std::ptrdiff_t>(n / 3),
               values.end());
  return values;
}

TEST(Quantile, gives_the_golden_value) {
  const auto known = golden::entry("/metrics/quantile_type7");
  EXPECT_NEAR(quantile(golden::to_vector(known.at("x")),
                       golden::to_double(known.at("q"))),
              golden::to_double(known.at("value")), 1e-12);
}

RC_GTEST_PROP(Quantile, is_linear_between_order_statistics, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 60);
  const auto values = oracle::uniforms(n, *rc::gen::arbitrary<std::uint32_t>());
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < n; ++i) {
    // The level of an order statistic gives it back, up to rounding.
    const double level =
        n == 1 ? 0.3 : static_cast<double>(i) / static_cast<double>(n - 1);
    RC_ASSERT(std::abs(quantile(values, level) - sorted[i]) < 1e-13);
    if (i + 1 == n) break;
    const double middle =
        (static_cast<double>(i) + 0.25) / static_cast<double>(n - 1);
    RC_ASSERT(std::abs(quantile(values, middle) -
                       (0.75 * sorted[i] + 0.25 * sorted[i + 1])) < 1e-13);
    RC_ASSERT(quantile(values, middle, QuantileRule::kHigher) == sorted[i + 1]);
  }
}

TEST(Quantile, the_higher_rule_does_not_step_for_a_rounding_error) {
  const std::vector<double> values = count_to(101);
  for (int percent = 0; percent <= 100; ++percent) {
    EXPECT_EQ(quantile(values, percent / 100.0, QuantileRule::kHigher),
              percent + 1.0);
  }
}

TEST(Quantile, infinite_values_order_above_all) {
  const std::vector<double> values = {kInfinity, 1.0, kInfinity, 2.0};
  EXPECT_EQ(quantile(values, 0.0), 1.0);
  EXPECT_EQ(quantile(values, 0.5), kInfinity);  // between 2 and inf
  EXPECT_EQ(quantile(values, 1.0), kInfinity);
  EXPECT_EQ(quantile(values, 0.9), kInfinity);
  EXPECT_NEAR(quantile(values, 1.0 / 3.0), 2.0, 1e-15);
}

TEST(Quantile, several_levels_are_each_as_one) {
  const std::vector<double> values = count_to(17);
  const std::vector<double> levels = {0.9, 0.0, 0.33, 1.0};
  const auto found = quantiles(values, levels);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(found[i], quantile(values, levels[i]));
  }
}

TEST(Quantile, refuses_bad_input_and_says_which) {
  const auto message = [](const std::vector<double>& values, double level) {
    return invalid_argument_of([&] { quantile(values, level); });
  };
  EXPECT_THAT(message({}, 0.5), HasSubstr("at least one value"));
  EXPECT_THAT(message({1.0, std::nan("")}, 0.5), HasSubstr("value 1 is NaN"));
  EXPECT_THAT(message({1.0}, 1.5), HasSubstr("1.5"));
  EXPECT_THAT(message({1.0}, -0.1), HasSubstr("-0.1"));
  EXPECT_THAT(message({1.0}, std::nan("")), HasSubstr("[0, 1]"));
}

TEST(Threshold, the_quantile_rule_adds_the_margin) {
  const std::vector<double> values = count_to(21);
  const Threshold threshold =
      calibrate_threshold(values, {.level = 0.9, .margin = 0.04});
  EXPECT_NEAR(threshold.value, 19.04, 1e-12);
  EXPECT_EQ(threshold.rule, ThresholdRule::kQuantile);
  EXPECT_EQ(threshold.level, 0.9);
  EXPECT_EQ(threshold.margin, 0.04);
  EXPECT_EQ(threshold.calibration_count, 21u);
  EXPECT_EQ(calibrate_threshold(
                values, {.level = 0.91, .quantile_rule = QuantileRule::kHigher})
                .value,
            20.0);
}

TEST(Threshold, the_conformal_rule_takes_the_stated_order_statistic) {
  const auto value = [](std::size_t n, double level) {
    return calibrate_threshold(
               count_to(n), {.rule = ThresholdRule::kConformal, .level = level})
        .value;
  };
  EXPECT_EQ(value(19, 0.95), 19.0);       // ceil(0.95 * 20) = 19
  EXPECT_EQ(value(18, 0.95), kInfinity);  // ceil(18.05) = 19 > 18
  EXPECT_EQ(value(99, 0.9), 90.0);
  EXPECT_EQ(value(100, 0.9), 91.0);  // ceil(90.9)
  EXPECT_EQ(value(1, 0.5), 1.0);
  EXPECT_EQ(value(5, 0.01), 1.0);
  for (int percent = 1; percent < 100; ++percent) {
    EXPECT_EQ(value(99, percent / 100.0), percent) << percent;
  }
}

TEST(Threshold, refuses_bad_options) {
  const std::vector<double> values = {1.0};
  const auto message = [&](const ThresholdOptions& options) {
    return invalid_argument_of([&] { calibrate_threshold(values, options); });
  };
  EXPECT_THAT(message({.level = 1.0}), HasSubstr("(0, 1)"));
  EXPECT_THAT(message({.level = 0.0}), HasSubstr("(0, 1)"));
  EXPECT_THAT(message({.level = std::nan("")}), HasSubstr("(0, 1)"));
  EXPECT_THAT(message({.margin = kInfinity}), HasSubstr("finite margin"));
}

TEST(Threshold, share_above_is_strict) {
  const std::vector<double> values = {1.0, 2.0, 3.0, kInfinity};
  EXPECT_EQ(share_above(values, 2.0), 0.5);
  EXPECT_EQ(share_above(values, kInfinity), 0.0);
  EXPECT_EQ(share_above({}, 0.0), 0.0);
}

TEST(Threshold, p_values_count_ties_and_the_point_itself) {
  const std::vector<double> values = {1.0, 2.0, 2.0, 3.0};
  EXPECT_EQ(conformal_p_value(values, 2.0), 0.8);
  EXPECT_EQ(conformal_p_value(values, 9.0), 0.2);
  EXPECT_EQ(conformal_p_value(values, 0.0), 1.0);
  EXPECT_EQ(conformal_p_value({}, 0.0), 1.0);
}

RC_GTEST_PROP(Threshold, exceeding_it_is_a_p_value_of_at_most_the_rest, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 80);
  const auto values = oracle::uniforms(n, *rc::gen::arbitrary<std::uint32_t>());
  const double level = *rc::gen::element(0.5, 0.9, 0.95);
  const double tau =
      calibrate_threshold(values,
                          {.rule = ThresholdRule::kConformal, .level = level})
          .value;
  for (const double energy : oracle::uniforms(50, 3)) {
    const bool is_small =
        conformal_p_value(values, energy) <= (1.0 - level) * (1.0 + 1e-12);
    RC_ASSERT((energy > tau) == is_small);
  }
}

}  // namespace threshold_test
}  // namespace sbog
