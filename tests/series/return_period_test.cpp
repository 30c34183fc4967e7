// SPDX-License-Identifier: Apache-2.0
// Events, extremal indices, drift and return periods.
#include "sbog/series/return_period.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/calls.h"
#include "oracle/energy_oracle.h"
#include "sbog/base/philox.h"
#include "sbog/energy/threshold.h"

namespace sbog {
namespace return_period_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::invalid_argument_of;

std::vector<double> normals(std::size_t n, std::uint64_t seed) {
  std::vector<double> values(n);
  PhiloxStream(seed, 1, 2, 3).normals(0, std::span<double>(values));
  return values;
}

// x_t = phi x_(t-1) + noise.
std::vector<double> autoregression(double phi, std::size_t n,
                                   std::uint64_t seed) {
  std::vector<double> values = normals(n, seed);
  for (std::size_t i = 1; i < n; ++i) values[i] += phi * values[i - 1];
  return values;
}

// x_t = max(phi x_(t-1), (1 - phi) z_t) with z unit Frechet: its extremal index
// is 1 - phi (Beirlant et al., Statistics of Extremes, 10.2).
std::vector<double> max_autoregression(double phi, std::size_t n,
                                       std::uint64_t seed) {
  std::vector<double> values = oracle::uniforms(n, seed);
  for (double& v : values) v = -1.0 / std::log(v);
  for (std::size_t i = 1; i < n; ++i) {
    values[i] = std::max(phi * values[i - 1], (1.0 - phi) * values[i]);
  }
  return values;
}

TEST(Events, are_runs_of_exceedances) {
  const double nan = std::nan("");
  const std::vector<double> scores = {0, 5, 6, 0, 6, 0, 0, 7, nan, 7, 1};
  EXPECT_THAT(event_peaks(scores, 2.0, 1), ElementsAre(1, 2, 4, 7, 9));
  EXPECT_THAT(event_peaks(scores, 2.0, 2), ElementsAre(2, 4, 7, 9));
  EXPECT_THAT(event_peaks(scores, 2.0, 3), ElementsAre(2, 7));
  EXPECT_THAT(event_peaks(scores, 2.0, 4), ElementsAre(7));
  EXPECT_EQ(extremal_index(scores, 2.0, 3), 2.0 / 5.0);
  EXPECT_EQ(extremal_index(scores, 9.0, 3), 1.0);
  EXPECT_TRUE(event_peaks({}, 0.0, 1).empty());
}

TEST(ExtremalIndex, of_an_autoregression_is_that_of_a_long_simulation) {
  for (const double phi : {0.5, 0.9}) {
    const std::vector<double> longer = autoregression(phi, 1000000, 1);
    const double level = quantile(longer, 0.90);
    for (const std::uint64_t seed : {2u, 3u, 4u}) {
      const std::vector<double> some = autoregression(phi, 20000, seed);
      const double truth = extremal_index(longer, level, 10);
      EXPECT_NEAR(extremal_index(some, quantile(some, 0.90), 10) / truth, 1.0,
                  0.10)
          << phi;
    }
  }
}

TEST(ExtremalIndex, of_a_max_autoregression_is_known) {
  for (const double phi : {0.3, 0.7}) {
    const std::vector<double> scores = max_autoregression(phi, 200000, 5);
    EXPECT_NEAR(extremal_index(scores, quantile(scores, 0.99), 3) / (1.0 - phi),
                1.0, 0.10);
  }
}

TEST(Drift, is_seen_in_the_last_fifth) {
  std::vector<double> scores = normals(5000, 6);
  EXPECT_EQ(check_drift(scores).verdict, DriftCheck::Verdict::kStable);
  EXPECT_EQ(check_drift(scores).count, 1000u);
  for (std::size_t i = 4000; i < 5000; ++i) scores[i] += 1.5;
  const DriftCheck up = check_drift(scores);
  EXPECT_EQ(up.verdict, DriftCheck::Verdict::kDrifts);
  EXPECT_GT(up.observed, 0.1);
  EXPECT_THAT(up.sentence(), HasSubstr("drifts, its rarity is unknown"));
  for (std::size_t i = 4000; i < 5000; ++i) scores[i] -= 9.0;
  const DriftCheck down = check_drift(scores);
  EXPECT_EQ(down.verdict, DriftCheck::Verdict::kDrifts);
  EXPECT_THAT(down.sentence(), HasSubstr("none of 1,000 windows"));
  EXPECT_EQ(check_drift(normals(1400, 7)).verdict,
            DriftCheck::Verdict::kTooShort);
  EXPECT_EQ(check_drift({}).verdict, DriftCheck::Verdict::kTooShort);
}

TEST(ReturnPeriod, is_the_time_between_events) {
  // Count the events of a score in a long simulation.
  constexpr std::size_t kLong = 4000000;
  const std::vector<double> longer = max_autoregression(0.6, kLong, 8);
  std::vector<double> logs = max_autoregression(0.6, 20000, 9);
  for (double& v : logs) v = std::log(v);
  const SeriesTail tail(logs, {4, 1, 60.0});
  for (const double p : {1e-2, 1e-3}) {
    const double score = quantile(longer, 1.0 - p);
    const double events =
        static_cast<double>(event_peaks(longer, score, 4).size());
    const double truth = 60.0 * static_cast<double>(kLong) / events;
    const auto found = tail.period(std::log(score));
    ASSERT_TRUE(found);
    EXPECT_LT(found->low, truth);
    EXPECT_GT(found->high, truth);
    EXPECT_NEAR(std::log(found->period / truth), 0.0, std::log(2.0));
  }
}

TEST(ReturnPeriod, is_the_formula) {
  const std::vector<double> scores = autoregression(0.8, 6000, 10);
  const SeriesTail tail(scores, {30, 10, 5.0});
  const double index = extremal_index(scores, quantile(scores, 0.90), 3);
  EXPECT_EQ(tail.extremal_index(), index);
  EXPECT_LT(index, 1.0);
  const double score = tail.tail().score_at(2e-3);
  const auto found = tail.period(score);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->period, 10.0 * 5.0 / (index * 2e-3), 1e-6);
  EXPECT_FALSE(found->is_in_windows);
  const auto windows = SeriesTail(scores, {30, 10, {}}).period(score);
  EXPECT_TRUE(windows->is_in_windows);
  EXPECT_NEAR(windows->period, 1.0 / (index * 2e-3), 1e-8);
  // Runs make the interval wider than independent scores would have it.
  const RarityEstimate independent = TailModel(scores).rarity(score);
  EXPECT_LT(found->low, 50.0 / (index * independent.high));
  // Nothing is said beyond five times the recording.
  const auto beyond = tail.period(1e9);
  EXPECT_TRUE(beyond->is_beyond);
  EXPECT_NEAR(beyond->period, 5.0 * 6000.0 * 50.0, 1.0);
}

TEST(ReturnPeriod, is_not_stated_for_what_drifts_or_is_short) {
  std::vector<double> scores = normals(3000, 11);
  for (std::size_t i = 2400; i < 3000; ++i) scores[i] += 2.0;
  const SeriesTail drifting(scores, {5, 5, 1.0});
  EXPECT_FALSE(drifting.period(3.0));
  EXPECT_THAT(drifting.words(3.0), HasSubstr("drifts"));
  const SeriesTail few(normals(100, 12), {5, 5, 1.0});
  EXPECT_FALSE(few.period(9.0));
  EXPECT_EQ(few.words(9.0), "at most about 1 in 100 windows");
}

TEST(ReturnPeriod, words_choose_their_unit) {
  constexpr double kDay = 86400.0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(words_of({41 * kDay, 17 * kDay, 160 * kDay, false, false, 0.95}),
            "about once in 41 days (95 %: 17 to 160)");
  EXPECT_EQ(words_of({30, 12.34, 61, false, false, 0.95}),
            "about once in 30 seconds (95 %: 12 to 61)");
  EXPECT_EQ(words_of({7200, 3600, 14400, false, false, 0.9}),
            "about once in 2 hours (90 %: 1 to 4)");
  EXPECT_EQ(words_of({60, 30, kInfinity, false, true, 0.95}),
            "about once in 60 windows (95 %: 30 or more)");
  EXPECT_EQ(words_of({1461 * kDay, kDay, kInfinity, true, false, 0.95}),
            "less than once in 4 years");
  EXPECT_EQ(words_of({1234567, 1, 2, true, true, 0.95}),
            "less than once in 1,200,000 windows");
  EXPECT_EQ(words_of({1, 0.5, 2, false, true, 0.95}),
            "about once in 1 window (95 %: 0.5 to 2)");
}

TEST(ReturnPeriod, refuses_clocks_that_stand_still) {
  const std::vector<double> scores = normals(10, 13);
  EXPECT_THAT(invalid_argument_of([&] {
                SeriesTail(scores, {0, 1, {}});
              }),
              HasSubstr("width"));
  EXPECT_THAT(invalid_argument_of([&] {
                SeriesTail(scores, {1, 0, {}});
              }),
              HasSubstr("stride"));
  EXPECT_THAT(invalid_argument_of([&] {
                SeriesTail(scores, {1, 1, 0.0});
              }),
              HasSubstr("positive time"));
}

}  // namespace return_period_test
}  // namespace sbog
