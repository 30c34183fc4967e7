// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/injection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace injection_test {

Injection drawn(std::uint64_t index, std::size_t channels, std::size_t width) {
  nn::Draws draws(4, nn::Purpose::kInjection, index);
  return draw_injection(draws, channels, width, 0);
}

TEST(Injection, draws_stay_in_the_ranges_of_the_method) {
  std::set<std::size_t> lengths;
  std::set<InjectionKind> kinds;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Injection injection = drawn(i, 38, 200);
    EXPECT_GE(injection.length, 20u);
    EXPECT_LE(injection.length, 179u);
    EXPECT_LE(injection.start + injection.length, 199u);
    EXPECT_LE(injection.changes.size(), 18u);
    EXPECT_GE(injection.changes.size(), 1u);
    std::set<std::size_t> channels;
    for (const ChannelChange& change : injection.changes) {
      EXPECT_LT(change.channel, 38u);
      EXPECT_TRUE(channels.insert(change.channel).second);
      EXPECT_GE(change.repeats, 2u);
      EXPECT_LE(change.repeats, 4u);
      EXPECT_GT(change.lift, 0.0);
      EXPECT_LT(change.lift, 0.1);
    }
    lengths.insert(injection.length);
    kinds.insert(injection.kind);
  }
  EXPECT_EQ(*lengths.begin(), 20u);
  EXPECT_EQ(*lengths.rbegin(), 179u);
  EXPECT_EQ(kinds.size(), kInjectionKinds);
}

TEST(Injection, level_shifts_have_the_mean_and_deviation_of_the_method) {
  double sum = 0.0, squares = 0.0, signs = 0.0, count = 0.0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    for (const ChannelChange& change : drawn(i, 20, 50).changes) {
      // The size is N(1, 1/4) with a fair sign, so E a^2 = 5/4, E a = 0.
      sum += change.shift;
      squares += change.shift * change.shift;
      signs += change.shift > 0.0 ? 1.0 : 0.0;
      count += 1.0;
    }
  }
  // Four standard errors of each mean.
  EXPECT_NEAR(sum / count, 0.0, 4.0 * std::sqrt(1.25 / count));
  EXPECT_NEAR(squares / count, 1.25, 4.0 * std::sqrt(1.2 / count));
  EXPECT_NEAR(signs / count, 0.5, 4.0 * std::sqrt(0.25 / count));
}

std::vector<double> ramp(std::size_t width) {
  std::vector<double> values(width);
  for (std::size_t t = 0; t < width; ++t) {
    values[t] = 1.0 + static_cast<double>(t);
  }
  return values;
}

TEST(Injection, every_kind_changes_only_its_span) {
  const std::vector<double> original = ramp(100);
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Injection injection = drawn(i, 38, 100);
    const SampleSpan span = injected_span(injection, 100);
    EXPECT_LE(span.end, 100u);
    for (const ChannelChange& change : injection.changes) {
      std::vector<double> out(100);
      inject_channel(injection, change, original, out);
      for (std::size_t t = 0; t < 100; ++t) {
        if (t < span.first || t >= span.end) {
          EXPECT_EQ(out[t], original[t]);
        }
      }
      EXPECT_NE(out, original);
    }
  }
}

TEST(Injection, effects_are_those_of_the_table) {
  const std::vector<double> x = ramp(20);
  std::vector<double> out(20);
  Injection injection;
  injection.start = 5;
  injection.length = 6;
  const ChannelChange change{0, 2, -0.5, 0.05};
  injection.kind = InjectionKind::kSeasonal;
  inject_channel(injection, change, x, out);
  EXPECT_EQ(std::vector<double>(out.begin() + 5, out.begin() + 11),
            (std::vector<double>{6, 8, 10, 6, 8, 10}));
  injection.kind = InjectionKind::kTrend;
  inject_channel(injection, change, x, out);
  EXPECT_EQ(out[4], 5.0);
  EXPECT_EQ(out[5], 5.5);
  EXPECT_EQ(out[19], 19.5);
  injection.kind = InjectionKind::kGlobal;
  inject_channel(injection, change, x, out);
  EXPECT_EQ(out[6], 56.0);
  EXPECT_EQ(out[7], 8.0);
  injection.kind = InjectionKind::kContextual;
  inject_channel(injection, change, x, out);
  EXPECT_EQ(out[8], 27.0);
  EXPECT_EQ(out[9], 10.0);
  injection.kind = InjectionKind::kShapelet;
  inject_channel(injection, change, x, out);
  EXPECT_DOUBLE_EQ(out[5], 6.05);
  EXPECT_DOUBLE_EQ(out[10], 6.05);
  EXPECT_EQ(out[11], 12.0);
}

TEST(Injection, one_channel_has_longer_peaks) {
  const Injection injection = drawn(1, 1, 200);
  EXPECT_TRUE(injection.is_univariate);
  ASSERT_EQ(injection.changes.size(), 1u);
  Injection peak = injection;
  peak.start = 10;
  peak.kind = InjectionKind::kGlobal;
  EXPECT_EQ(injected_span(peak, 200).end, 13u);
  peak.kind = InjectionKind::kContextual;
  EXPECT_EQ(injected_span(peak, 200).end, 15u);
}

TEST(Injection, short_windows_are_refused) {
  EXPECT_THROW(drawn(1, 3, 9), InvalidArgument);
}

}  // namespace injection_test
}  // namespace sbog::series
