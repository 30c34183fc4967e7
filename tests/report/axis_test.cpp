// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "sbog/base/errors.h"

namespace sbog {
namespace axis_test {

using ::testing::ElementsAre;

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> found;
  for (const Tick& tick : axis.ticks) found.push_back(tick.label);
  return found;
}

TEST(Axis, ticks_are_round_numbers) {
  EXPECT_THAT(labels(make_axis(0.0, 1.0, 5)),
              ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels(make_axis(-13.0, 27.0, 4)),
              ElementsAre("-10", "0", "10", "20"));
  EXPECT_THAT(labels(make_axis(99.93, 100.08, 4)),
              ElementsAre("99.95", "100.00", "100.05"));
  EXPECT_THAT(labels(make_axis(2e9, 6e9, 4)),
              ElementsAre("2e+09", "3e+09", "4e+09", "5e+09", "6e+09"));
  EXPECT_THAT(labels(make_axis(0.0, 3e-7, 3)),
              ElementsAre("0", "1e-07", "2e-07", "3e-07"));
}

TEST(Axis, rounding_moves_no_tick_out_of_the_range) {
  for (int i = -1000; i < 1000; ++i) {
    const double middle = i / 7.0;
    const Axis axis = make_axis(middle - 1e-6, middle + 1e-6, 2);
    EXPECT_GE(axis.ticks.front().value, axis.low) << i;
    EXPECT_LE(axis.ticks.back().value, axis.high) << i;
  }
}

RC_GTEST_PROP(Axis, ticks_lie_within_and_have_labels_of_their_own, ()) {
  const double middle = *rc::gen::inRange(-1000, 1000) / 7.0;
  const double size = std::pow(10.0, *rc::gen::inRange(-30, 31) / 5.0);
  const auto most = static_cast<std::size_t>(*rc::gen::inRange(2, 12));
  const Axis axis = make_axis(middle - size, middle + size, most);
  RC_ASSERT(axis.ticks.size() >= 2u);
  RC_ASSERT(axis.ticks.size() <= std::max<std::size_t>(most + 1, 11));
  std::set<std::string> seen;
  const double slack = 1e-9 * (axis.high - axis.low);
  for (const Tick& tick : axis.ticks) {
    RC_ASSERT(tick.value >= axis.low - slack);
    RC_ASSERT(tick.value <= axis.high + slack);
    RC_ASSERT(seen.insert(tick.label).second);
    RC_ASSERT(std::abs(std::stod(tick.label) - tick.value) <=
              0.51 * (axis.ticks[1].value - axis.ticks[0].value));
  }
}

TEST(Axis, ranges_without_extent_and_of_any_size_have_ticks) {
  const double largest = std::numeric_limits<double>::max();
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {0.0, 0.0},
           {5.0, 5.0},
           {-1e-300, 1e-300},
           {1e6, std::nextafter(1e6, 2e6)},
           {-1e308, 1e308},
           {-largest / 2, largest / 2},
           {1e308, 1e308},
           {std::numeric_limits<double>::denorm_min(), 1.0}}) {
    const Axis axis = make_axis(low, high, 5);
    EXPECT_LT(axis.low, axis.high) << low;
    EXPECT_GE(axis.ticks.size(), 2u) << low;
    EXPECT_LE(axis.ticks.size(), 12u) << low;
    for (const Tick& tick : axis.ticks) {
      EXPECT_TRUE(std::isfinite(tick.value)) << low;
      EXPECT_TRUE(std::isfinite(axis.position(tick.value))) << low;
    }
  }
}

TEST(Axis, positions_run_from_0_to_1) {
  const Axis axis = make_axis(-2.0, 6.0, 4);
  EXPECT_EQ(axis.position(-2.0), 0.0);
  EXPECT_EQ(axis.position(6.0), 1.0);
  EXPECT_EQ(axis.position(0.0), 0.25);
  EXPECT_EQ(axis.position(1e300), 2.0);
  const Axis log = make_log_axis(0.01, 100.0);
  EXPECT_NEAR(log.position(1.0), 0.5, 1e-12);
  EXPECT_EQ(log.position(0.0), 0.0);
}

TEST(Axis, log_ticks_are_powers_of_ten_and_more_when_there_are_few) {
  EXPECT_THAT(labels(make_log_axis(0.01, 100.0)),
              ElementsAre("0.01", "0.1", "1", "10", "100"));
  EXPECT_THAT(labels(make_log_axis(0.9, 25.0)),
              ElementsAre("1", "2", "5", "10", "20"));
  EXPECT_LE(make_log_axis(1e-300, 1e300).ticks.size(), 8u);
  EXPECT_THROW(make_log_axis(0.0, 1.0), InvalidArgument);
  EXPECT_THROW(make_log_axis(2.0, 1.0), InvalidArgument);
}

TEST(Axis, rows_are_counted_from_the_first) {
  const Axis axis = make_time_axis(200, {}, 1030, 5);
  EXPECT_THAT(labels(axis), ElementsAre("1050", "1100", "1150", "1200"));
  EXPECT_EQ(axis.ticks[0].value, 20.0);
  EXPECT_EQ(axis.caption, "row");
  EXPECT_THAT(labels(make_time_axis(1, {}, 7, 5)), ElementsAre("7"));
}

TEST(Axis, what_all_times_share_becomes_the_caption) {
  std::vector<std::string> times;
  for (int t = 0; t < 120; ++t) {
    char text[32];
    std::snprintf(text, sizeof text, "2024-05-01 %02d:%02d:00", 10 + t / 60,
                  t % 60);
    times.push_back(text);
  }
  const Axis axis = make_time_axis(120, times, 0, 6);
  EXPECT_THAT(labels(axis), ElementsAre("10:00", "10:20", "10:40", "11:00",
                                        "11:20", "11:40"));
  EXPECT_EQ(axis.caption, "2024-05-01");
  // From 10:07 on, every half hour.
  const Axis later =
      make_time_axis(113, std::span<const std::string>(times).subspan(7), 0, 4);
  EXPECT_THAT(labels(later), ElementsAre("10:30", "11:00", "11:30"));
  EXPECT_EQ(later.ticks[0].value, 23.0);
  const std::vector<std::string> words = {"a", "b"};
  EXPECT_THAT(labels(make_time_axis(2, words, 0, 6)), ElementsAre("a", "b"));
  EXPECT_THROW(make_time_axis(3, words, 0, 6), InvalidArgument);
  EXPECT_THROW(make_time_axis(0, {}, 0, 6), InvalidArgument);
}

// Minutes from an hour of 7 January on, `step` minutes apart.
std::vector<std::string> minutes(int count, int first_hour, int step,
                                 char between = 'T') {
  std::vector<std::string> times;
  for (int i = 0; i < count; ++i) {
    const int minute = first_hour * 60 + i * step;
    char text[40];
    std::snprintf(text, sizeof text, "2026-01-%02d%c%02d:%02d:00",
                  7 + minute / 1440, between, minute / 60 % 24, minute % 60);
    times.emplace_back(text);
  }
  return times;
}

std::vector<std::string> days_below(const Axis& axis) {
  std::vector<std::string> days;
  for (const Tick& tick : axis.ticks) days.push_back(tick.below);
  return days;
}

TEST(Axis, across_midnight_the_day_stands_below_where_it_begins) {
  for (const char between : {'T', ' '}) {
    const Axis axis = make_time_axis(200, minutes(200, 22, 1, between), 0, 7);
    EXPECT_THAT(labels(axis), ElementsAre("22:00", "22:30", "23:00", "23:30",
                                          "00:00", "00:30", "01:00"));
    EXPECT_THAT(days_below(axis),
                ElementsAre("2026-01-07", "", "", "", "2026-01-08", "", ""));
    EXPECT_EQ(axis.caption, "");
  }
}

TEST(Axis, ticks_at_midnight_alone_are_days) {
  const Axis axis = make_time_axis(6 * 24, minutes(6 * 24, 0, 60), 0, 7);
  EXPECT_THAT(labels(axis),
              ElementsAre("2026-01-07", "2026-01-08", "2026-01-09",
                          "2026-01-10", "2026-01-11", "2026-01-12"));
  EXPECT_THAT(days_below(axis), ElementsAre("", "", "", "", "", ""));
}

TEST(Axis, labels_that_only_look_like_times_stay) {
  const std::vector<std::string> names = {"T1 x", "T2 y", "Test T", " "};
  EXPECT_THAT(labels(make_time_axis(4, names, 0, 6)),
              ElementsAre("T1 x", "T2 y", "Test T", " "));
}

TEST(Axis, numbers_are_short) {
  EXPECT_EQ(short_number(0.0), "0");
  EXPECT_EQ(short_number(1.0), "1");
  EXPECT_EQ(short_number(-12.5), "-12.5");
  EXPECT_EQ(short_number(123456.0), "123456");
  EXPECT_EQ(short_number(0.000123456), "0.0001235");
  EXPECT_EQ(short_number(1.0 / 3.0), "0.3333");
  EXPECT_EQ(short_number(1e9), "1e+09");
  EXPECT_EQ(short_number(-2.5e-8), "-2.5e-08");
}

TEST(Axis, what_is_not_a_range_is_refused) {
  EXPECT_THROW(make_axis(1.0, 0.0, 5), InvalidArgument);
  EXPECT_THROW(make_axis(0.0, std::nan(""), 5), InvalidArgument);
}

}  // namespace axis_test
}  // namespace sbog
