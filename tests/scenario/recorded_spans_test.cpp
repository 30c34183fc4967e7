// SPDX-License-Identifier: Apache-2.0
// Rarities of spans against laws that are known, drift, and short recordings.
#include "sbog/scenario/recorded_spans.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sbog/base/thread_pool.h"
#include "support.h"

namespace sbog::series {
namespace recorded_spans_test {

using namespace testing_support;

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  nn::Draws draws(seed, nn::Purpose::kPairs, 31);
  std::vector<double> values(count);
  for (double& value : values) value = draws.normal();
  return values;
}

TEST(RecordedSpans, lengths_and_periods_go_by_the_root_of_two) {
  EXPECT_EQ(
      span_lengths(200),
      (std::vector<std::size_t>{200, 141, 100, 71, 50, 35, 25, 18, 13, 9, 6}));
  EXPECT_EQ(tone_periods().front(), 5.0);
  EXPECT_LE(tone_periods().back(), 100.0);
}

TEST(RecordedSpans, the_tail_of_normals_is_about_right) {
  const SpanTail tail(normals(20000, 1), 1, 1, false);
  ASSERT_TRUE(tail.is_estimate());
  // P(Z > 3.0902) = 0.001.
  const SpanRarity rarity = tail.rarity(3.0902);
  EXPECT_GT(rarity.p, 0.001 / 1.6);
  EXPECT_LT(rarity.p, 0.001 * 1.6);
  EXPECT_TRUE(rarity.is_estimate);
  // Independent: every exceedance is an event of its own, one row apart.
  const auto period = tail.period(3.0902);
  ASSERT_TRUE(period.has_value());
  EXPECT_NEAR(period->rows * rarity.p, 1.0, 0.15);
  EXPECT_LT(period->low, 1000.0);
  EXPECT_GT(period->high, 1000.0);
  for (std::size_t s = 1; s <= 3; ++s) {
    const auto target = tail.target(s, 1);
    ASSERT_TRUE(target.has_value());
    EXPECT_EQ(severity_of(tail.rarity(*target).p), s);
    EXPECT_NEAR(tail.rarity(*target).p, band_middle(s), 0.1 * band_middle(s));
    // Three edits share it.
    EXPECT_NEAR(tail.rarity(*tail.target(s, 3)).p * 3.0, band_middle(s),
                0.1 * band_middle(s));
  }
  EXPECT_FALSE(tail.target(5, 1).has_value());
  EXPECT_TRUE(tail.rarity(50.0).is_bound);
  EXPECT_EQ(tail.rarity(50.0).p, 1.0 / (5.0 * 20000.0));
}

TEST(RecordedSpans, exceedances_close_together_are_one_event) {
  // Every value four times.
  std::vector<double> runs;
  for (const double value : normals(5000, 2)) runs.insert(runs.end(), 4, value);
  const SpanTail tail(runs, 5, 20, false);
  const SpanRarity rarity = tail.rarity(2.5);
  // Four strides long, 5 rows each: about 4 x 5 / p rows from one to the next;
  // at a tenth some neighbours run together.
  const auto period = tail.period(2.5);
  ASSERT_TRUE(period.has_value());
  EXPECT_GT(period->rows * rarity.p, 4.0 * 5.0 * 0.95);
  EXPECT_LT(period->rows * rarity.p, 4.0 * 5.0 * 1.6);
}

TEST(RecordedSpans, without_a_fit_rarities_are_shares_of_the_recorded_spans) {
  for (const bool drifts : {true, false}) {
    const std::size_t count = drifts ? 5000 : 120;
    const std::vector<double> values = normals(count, 3);
    const SpanTail tail(values, 2, 10, drifts);
    EXPECT_FALSE(tail.is_estimate());
    const SpanRarity rarity = tail.rarity(1.0);
    const auto above = std::count_if(values.begin(), values.end(),
                                     [](double x) { return x >= 1.0; });
    EXPECT_EQ(rarity.p, (1.0 + static_cast<double>(above)) /
                            (1.0 + static_cast<double>(count)));
    EXPECT_FALSE(tail.period(1.0).has_value());
    EXPECT_EQ(tail.highest_severity(), drifts ? 3u : 2u);
    for (std::size_t s = 1; s <= tail.highest_severity(); ++s) {
      EXPECT_EQ(severity_of(tail.rarity(*tail.target(s, 1)).p), s);
    }
  }
  const SpanTail none(std::vector<double>{1.0, 2.0}, 1, 1, false);
  EXPECT_EQ(none.highest_severity(), 0u);
}

struct Recording {
  WindowSource windows;
  std::vector<ChannelProfile> profiles = profile_channels(windows);
  RecordedSpans spans{windows, profiles};

  explicit Recording(const Matrix<double>& values)
      : windows(values, WindowOptions{64, 2, false}) {}
};

TEST(RecordedSpans, a_calm_recording_does_not_drift_and_a_changed_one_does) {
  Matrix<double> values = noisy_waves(6000, 2, 4);
  // The second channel moves four times as far in the last fifth.
  nn::Draws draws(5, nn::Purpose::kPairs, 32);
  double state = 0.0;
  for (std::size_t t = 0; t < 6000; ++t) {
    state = 0.95 * state + draws.normal();
    values(t, 1) = (t < 4800 ? 1.0 : 4.0) * state;
  }
  const Recording recording(values);
  EXPECT_FALSE(recording.spans.drift()[0].drifts);
  EXPECT_TRUE(recording.spans.drift()[1].drifts);
  EXPECT_GT(recording.spans.drift()[1].observed, 0.05);
  const SpanKey key{SpanMeasure::kShift, 1, 1, 32, 0.0};
  EXPECT_FALSE(recording.spans.tail(key).is_estimate());
}

TEST(RecordedSpans, tails_do_not_depend_on_who_asks_first) {
  const Matrix<double> values = noisy_waves(3000, 3, 6);
  const Recording alone(values);
  const Recording together(values);
  std::vector<SpanKey> keys;
  for (std::size_t c = 0; c < 3; ++c) {
    for (const SpanMeasure measure :
         {SpanMeasure::kShift, SpanMeasure::kMismatch, SpanMeasure::kLag}) {
      keys.push_back({measure, c, (c + 1) % 3, 32, 0.0});
    }
  }
  ThreadPool pool(3);
  parallel_for({&pool, nullptr}, 4 * keys.size(),
               [&](std::size_t i, std::size_t) {
                 together.spans.tail(keys[i % keys.size()]);
               });
  for (const SpanKey& key : keys) {
    for (const double value : {0.1, 0.7, 3.0}) {
      EXPECT_EQ(alone.spans.tail(key).rarity(value).p,
                together.spans.tail(key).rarity(value).p);
    }
  }
}

TEST(RecordedSpans, constant_channels_do_no_harm) {
  Matrix<double> values = noisy_waves(1000, 2, 7);
  for (std::size_t t = 0; t < 1000; ++t) values(t, 1) = 5.0;
  const Recording recording(values);
  EXPECT_FALSE(recording.spans.drift()[1].drifts);
  const SpanKey key{SpanMeasure::kSpread, 1, 1, 32, 0.0};
  EXPECT_TRUE(std::isfinite(recording.spans.tail(key).rarity(0.0).p));
}

}  // namespace recorded_spans_test
}  // namespace sbog::series
