// SPDX-License-Identifier: Apache-2.0
// Statistics of spans against closed forms.
#include "sbog/scenario/span_statistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support.h"

namespace sbog::series {
namespace span_statistic_test {

using namespace testing_support;

// 0 for 20 rows, then 3 + 0.5 per row.
std::vector<double> ramp_after_rest() {
  std::vector<double> row(20, 0.0);
  for (int t = 0; t < 20; ++t) row.push_back(3.0 + 0.5 * t);
  return row;
}

double statistic(SpanMeasure measure, std::span<const double> row,
                 std::size_t first, std::size_t length, SpanRows rows = {}) {
  rows.row = row;
  const auto value = span_statistic(measure, rows, first, length);
  EXPECT_TRUE(value.has_value());
  return value.value_or(-1.0);
}

TEST(SpanStatistic, shifts_slopes_and_steps_of_a_ramp) {
  const std::vector<double> row = ramp_after_rest();
  // The mean of 3, 3.5, ..., 7.5 is 5.25.
  EXPECT_NEAR(statistic(SpanMeasure::kShift, row, 20, 10), 5.25, 1e-12);
  EXPECT_NEAR(statistic(SpanMeasure::kSlope, row, 20, 10), 0.5, 1e-12);
  EXPECT_NEAR(statistic(SpanMeasure::kStep, row, 15, 10), 3.0, 1e-12);
}

TEST(SpanStatistic, spreads_and_roughnesses_are_log_ratios) {
  std::vector<double> row = smooth_row(120, 3);
  std::vector<double> twice(row);
  row.insert(row.end(), twice.begin(), twice.end());
  const std::size_t half = twice.size();
  for (std::size_t t = half; t < row.size(); ++t) row[t] *= 3.0;
  EXPECT_NEAR(statistic(SpanMeasure::kSpread, row, half, half), std::log(3.0),
              1e-3);
  EXPECT_NEAR(statistic(SpanMeasure::kRoughness, row, half, half),
              std::log(3.0), 1e-9);
  // Larger, but not faster.
  EXPECT_NEAR(statistic(SpanMeasure::kRate, row, half, half), 0.0, 1e-3);
}

TEST(SpanStatistic, a_wave_at_twice_the_frequency_has_twice_the_rate) {
  std::vector<double> row(400);
  for (std::size_t t = 0; t < 400; ++t) {
    const double period = t < 200 ? 50.0 : 25.0;
    row[t] = std::sin(2.0 * std::numbers::pi * static_cast<double>(t) / period);
  }
  EXPECT_NEAR(statistic(SpanMeasure::kRate, row, 200, 200), std::log(2.0),
              0.02);
}

TEST(SpanStatistic, a_tone_explains_its_share_of_the_variance) {
  // Two waves of 10 and 25 rows, amplitudes 2 and 1: shares 4/5 and 1/5.
  std::vector<double> row(100);
  for (std::size_t t = 0; t < 100; ++t) {
    const double turn = 2.0 * std::numbers::pi * static_cast<double>(t);
    row[t] = 2.0 * std::sin(turn / 10.0 + 0.3) + std::sin(turn / 25.0);
  }
  SpanRows rows;
  rows.period = 10.0;
  EXPECT_NEAR(statistic(SpanMeasure::kTone, row, 0, 100, rows), std::log(4.0),
              1e-3);
  rows.period = 25.0;
  EXPECT_NEAR(statistic(SpanMeasure::kTone, row, 0, 100, rows), std::log(0.25),
              1e-3);
}

TEST(SpanStatistic, lags_are_found_beside_the_usual_one) {
  const std::vector<double> partner = smooth_row(400, 5);
  std::vector<double> row(partner.size());
  for (std::size_t t = 0; t < row.size(); ++t) {
    const std::size_t lag = t < 240 ? 4 : 15;
    row[t] = -partner[t - std::min(t, lag)];
  }
  EXPECT_EQ(usual_lag(std::span(row).first(240), std::span(partner).first(240)),
            4.0);
  SpanRows rows;
  rows.partner = partner;
  rows.correlation = -0.5;
  rows.usual_lag = 4.0;
  EXPECT_EQ(statistic(SpanMeasure::kLag, row, 100, 100, rows), 0.0);
  EXPECT_EQ(statistic(SpanMeasure::kLag, row, 300, 100, rows), 11.0);
}

TEST(SpanStatistic, a_mismatch_is_what_the_correlation_leaves) {
  const std::vector<double> partner = {1.0, 2.0, -1.0, 0.5};
  std::vector<double> row;
  for (const double x : partner) row.push_back(0.5 * x + 0.25);
  SpanRows rows;
  rows.partner = partner;
  rows.correlation = 0.5;
  EXPECT_NEAR(statistic(SpanMeasure::kMismatch, row, 0, 4, rows), 0.25, 1e-12);
}

TEST(SpanStatistic, a_standstill_is_counted_in_rows) {
  SpanRows rows;
  rows.still_step = 0.1;
  const std::vector<double> row = {0.0, 1.0, 1.05, 1.1, 1.1, 2.0, 2.0, 3.0};
  EXPECT_EQ(statistic(SpanMeasure::kStill, row, 0, 8, rows), 4.0);
}

TEST(SpanStatistic, what_is_not_recorded_is_not_said) {
  const std::vector<double> row = smooth_row(20, 6);
  SpanRows rows;
  rows.row = row;
  EXPECT_FALSE(span_statistic(SpanMeasure::kSlope, rows, 95, 10));
  // Less than half of the span before.
  EXPECT_FALSE(span_statistic(SpanMeasure::kShift, rows, 4, 10));
  EXPECT_TRUE(span_statistic(SpanMeasure::kShift, rows, 5, 10));
}

TEST(SpanStatistic, silent_spans_have_finite_statistics) {
  const std::vector<double> row(40, 1.0);
  SpanRows rows;
  rows.row = row;
  rows.partner = row;
  rows.period = 7.0;
  rows.quiet_step = 0.001;
  for (int m = 0; m < 10; ++m) {
    const auto value =
        span_statistic(static_cast<SpanMeasure>(m), rows, 15, 10);
    ASSERT_TRUE(value.has_value()) << m;
    EXPECT_TRUE(std::isfinite(*value)) << m;
  }
}

TEST(SpanStatistic, short_levels_are_steps) {
  Edit edit = typical_edit(EditKind::kLevel, 200);
  EXPECT_EQ(measure_of(edit), SpanMeasure::kShift);
  edit.end = edit.start + 8.0;
  EXPECT_EQ(measure_of(edit), SpanMeasure::kStep);
  EXPECT_TRUE(reads_partner(measure_of(typical_edit(EditKind::kDelay, 200))));
  EXPECT_STREQ(to_string(SpanMeasure::kStep), "step");
}

}  // namespace span_statistic_test
}  // namespace sbog::series
