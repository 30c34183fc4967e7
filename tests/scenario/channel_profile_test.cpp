// SPDX-License-Identifier: Apache-2.0
#include "sbog/scenario/channel_profile.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "support.h"

namespace sbog::series {
namespace channel_profile_test {

using namespace testing_support;

constexpr std::size_t kRows = 400;

// One channel given by a function of the row.
template <class Value>
ChannelProfile profile_of(const Value& value) {
  Matrix<double> series(kRows, 1);
  for (std::size_t t = 0; t < kRows; ++t) series(t, 0) = value(t);
  return profile_channels(WindowSource(series, {100, 10, false}))[0];
}

double wobble(std::size_t t) {
  return std::sin(0.7 * static_cast<double>(t)) + 1e-3 * static_cast<double>(t);
}

TEST(ChannelProfile, classes_follow_the_counts_of_values) {
  EXPECT_EQ(profile_of([](std::size_t) { return 3.0; }).kind,
            ChannelClass::kConstant);
  EXPECT_EQ(profile_of([](std::size_t t) { return double(t % 12); }).kind,
            ChannelClass::kDiscrete);
  EXPECT_EQ(profile_of([](std::size_t t) { return double(t % 13); }).kind,
            ChannelClass::kContinuous);
  // Rare spikes of many sizes.
  EXPECT_EQ(profile_of([](std::size_t t) {
              return t % 20 == 0 ? 1.0 + wobble(t) : 0.0;
            }).kind,
            ChannelClass::kEvent);
  // Three main levels cover 95 %, but there are more than twelve values.
  EXPECT_EQ(profile_of([](std::size_t t) {
              return t % 20 == 0 ? wobble(t) : double(t % 3);
            }).kind,
            ChannelClass::kDiscrete);
  EXPECT_EQ(profile_of(wobble).kind, ChannelClass::kContinuous);
}

TEST(ChannelProfile, limits_are_widened_by_a_tenth_of_the_range) {
  const ChannelProfile profile =
      profile_of([](std::size_t t) { return double(t) - 20.0; });
  EXPECT_DOUBLE_EQ(profile.low, -20.0 - 39.9);
  EXPECT_DOUBLE_EQ(profile.high, 379.0 + 39.9);
  EXPECT_FALSE(profile.is_floored);
  EXPECT_FALSE(profile.is_capped);
}

TEST(ChannelProfile, a_channel_that_has_one_sign_keeps_it) {
  const auto above = [](double shift) {
    return profile_of([=](std::size_t t) { return double(t) + shift; });
  };
  EXPECT_EQ(above(0.0).low, 0.0);
  EXPECT_EQ(above(20.0).low, 0.0);
  EXPECT_DOUBLE_EQ(above(100.0).low, 100.0 - 39.9);
  EXPECT_EQ(above(-399.0).high, 0.0);
  EXPECT_EQ(above(-420.0).high, 0.0);
  EXPECT_DOUBLE_EQ(above(-500.0).high, -101.0 + 39.9);
}

TEST(ChannelProfile, a_bound_that_samples_sit_on_is_not_widened) {
  const ChannelProfile floored =
      profile_of([](std::size_t t) { return std::max(0.0, wobble(t) - 0.5); });
  EXPECT_TRUE(floored.is_floored);
  EXPECT_FALSE(floored.is_capped);
  EXPECT_EQ(floored.low, 0.0);
  const ChannelProfile capped =
      profile_of([](std::size_t t) { return std::min(0.5, wobble(t)); });
  EXPECT_TRUE(capped.is_capped);
  EXPECT_EQ(capped.high, 0.5);
}

TEST(ChannelProfile, steps_and_unit_are_in_standard_units) {
  // A ramp: each step is 1 and each window of 100 has the deviation of 0..99.
  const ChannelProfile profile =
      profile_of([](std::size_t t) { return double(t); });
  const double deviation = std::sqrt((400.0 * 400.0 - 1.0) / 12.0);
  EXPECT_NEAR(profile.deviation, deviation, 1e-9);
  EXPECT_NEAR(profile.slew, std::max(0.01, 1.0 / deviation), 1e-12);
  EXPECT_NEAR(profile.largest_step, 1.0 / deviation, 1e-12);
  EXPECT_NEAR(profile.step_limit(), 1.1 / deviation + 0.001, 1e-12);
  const double within = std::sqrt((100.0 * 100.0 - 1.0) / 12.0) / deviation;
  EXPECT_NEAR(profile.unit, 2.0 * within, 1e-9);
}

TEST(ChannelProfile, the_unit_stays_within_its_bounds) {
  const auto flat = [](std::size_t t) {
    return (t < 200 ? 0.0 : 100.0) + 1e-3 * wobble(t);
  };
  // All but one window are flat; the quantile must not see the jump.
  Matrix<double> series(kRows, 1);
  for (std::size_t t = 0; t < kRows; ++t) series(t, 0) = flat(t);
  const ChannelProfile profile =
      profile_channels(WindowSource(series, {10, 10, false}))[0];
  EXPECT_DOUBLE_EQ(profile.unit, 0.04);
}

TEST(ChannelProfile, grids_are_found_and_rounded_to) {
  EXPECT_DOUBLE_EQ(find_grid({0.5, 1.0, 2.5, 1.0}), 0.5);
  EXPECT_DOUBLE_EQ(find_grid({3.0, 3.25, 4.5, -1.0}), 0.25);
  // The smallest gap 0.02 does not divide 0.05, hundredths do.
  EXPECT_NEAR(find_grid({0.0, 0.02, 0.07, 0.14}), 0.01, 1e-12);
  EXPECT_EQ(find_grid({0.0, 1.0, std::sqrt(2.0), std::numbers::pi}), 0.0);
  EXPECT_EQ(find_grid({1.0, 1.0}), 0.0);
  ChannelProfile profile;
  profile.grid = 0.25;
  profile.grid_origin = 0.1;
  EXPECT_DOUBLE_EQ(profile.on_grid(0.9), 0.85);
  profile.grid = 0.0;
  EXPECT_EQ(profile.on_grid(0.9), 0.9);
}

TEST(ChannelProfile, every_sample_lies_on_the_grid_that_was_found) {
  const auto value = [](std::size_t t) {
    return std::round(1000.0 * wobble(t)) / 1000.0;
  };
  const ChannelProfile profile = profile_of(value);
  ASSERT_GT(profile.grid, 0.0);
  for (std::size_t t = 0; t < kRows; ++t) {
    EXPECT_NEAR(profile.on_grid(value(t)), value(t), 1e-9);
  }
}

TEST(ChannelProfile, the_user_may_know_better) {
  const Matrix<double> series = noisy_waves(kRows, 2, 1);
  const WindowSource windows(series, {100, 10, false});
  const auto profiles = profile_channels(
      windows, {{1, ChannelClass::kDiscrete, -5.0, 5.0}, {0, {}, {}, 9.0}});
  EXPECT_EQ(profiles[0].kind, ChannelClass::kContinuous);
  EXPECT_EQ(profiles[0].high, 9.0);
  EXPECT_EQ(profiles[1].kind, ChannelClass::kDiscrete);
  EXPECT_EQ(profiles[1].low, -5.0);
  EXPECT_THROW(profile_channels(windows, {{2, {}, {}, {}}}), InvalidArgument);
  EXPECT_THROW(profile_channels(windows, {{0, {}, 1.0, -1.0}}),
               InvalidArgument);
  EXPECT_THROW(profile_channels(windows, {{0, {}, {}, std::nan("")}}),
               InvalidArgument);
}

TEST(ChannelProfile, class_names_are_read_back) {
  for (const ChannelClass kind :
       {ChannelClass::kConstant, ChannelClass::kDiscrete, ChannelClass::kEvent,
        ChannelClass::kContinuous}) {
    EXPECT_EQ(parse_channel_class(to_string(kind)), kind);
  }
  EXPECT_THROW(parse_channel_class("smooth"), InvalidArgument);
}

}  // namespace channel_profile_test
}  // namespace sbog::series
