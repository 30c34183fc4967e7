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
  EXPECT_FALSE(check_drift(scores, 1).drifts);
  for (std::size_t i = 4000; i < 5000; ++i) scores[i] += 1.5;
  const DriftCheck up = check_drift(scores, 1);
  EXPECT_TRUE(up.drifts);
  // The plain share of the last fifth beyond the old quantile.
  const double level = quantile(std::span(scores).first(4000), 0.99);
  const auto above = std::count_if(scores.begin() + 4000, scores.end(),
                                   [&](double x) { return x > level; });
  EXPECT_EQ(up.observed, static_cast<double>(above) / 1000.0);
  EXPECT_GT(up.observed, 0.1);
  for (std::size_t i = 4000; i < 5000; ++i) scores[i] -= 9.0;
  const DriftCheck down = check_drift(scores, 1);
  EXPECT_TRUE(down.drifts);
  EXPECT_EQ(down.observed, 0.0);
  EXPECT_FALSE(check_drift({}, 1).drifts);
}

TEST(Drift, few_events_are_chance) {
  // Twenty exceedances in a row are many, but only one event.
  std::vector<double> scores = normals(2000, 7);
  for (std::size_t i = 1700; i < 1720; ++i) scores[i] += 10.0;
  EXPECT_TRUE(check_drift(scores, 1).drifts);
  EXPECT_FALSE(check_drift(scores, 20).drifts);
}

TEST(ReturnPeriod, is_the_time_between_events) {
  // Count the events of a score in a long simulation.
  constexpr std::size_t kLong = 4000000;
  const std::vector<double> longer = max_autoregression(0.6, kLong, 8);
  std::vector<double> logs = max_autoregression(0.6, 20000, 9);
  for (double& v : logs) v = std::log(v);
  const SeriesTail tail(logs, {8, 2});
  for (const double p : {1e-2, 1e-3}) {
    const double score = quantile(longer, 1.0 - p);
    const double events =
        static_cast<double>(event_peaks(longer, score, 4).size());
    const double truth = 2.0 * static_cast<double>(kLong) / events;
    const auto found = tail.period(std::log(score));
    ASSERT_TRUE(found);
    EXPECT_LT(found->low, truth);
    EXPECT_GT(found->high, truth);
    EXPECT_NEAR(std::log(found->rows / truth), 0.0, std::log(2.0));
  }
}

TEST(ReturnPeriod, counts_events_where_there_are_some) {
  const std::vector<double> scores = autoregression(0.8, 6000, 10);
  const SeriesTail tail(scores, {30, 10});
  for (const double share : {0.90, 0.95, 0.98, 0.99}) {
    const double score = quantile(scores, share);
    EXPECT_NEAR(tail.extremal_index(score), extremal_index(scores, score, 3),
                0.05);
    const double counted =
        60000.0 / static_cast<double>(event_peaks(scores, score, 3).size());
    const auto found = tail.period(score);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->rows / counted, 1.0, 0.2) << share;
    EXPECT_LT(found->low, counted);
    EXPECT_GT(found->high, counted);
  }
  // Nothing is said beyond five times the recording.
  const auto beyond = tail.period(1e9);
  EXPECT_TRUE(beyond->is_beyond);
  EXPECT_NEAR(beyond->rows, 5.0 * 6000.0 * 10.0, 1.0);
}

TEST(ReturnPeriod, is_not_told_without_a_fit) {
  const SeriesTail few(normals(100, 12), {5, 5});
  EXPECT_FALSE(few.period(9.0));
  EXPECT_EQ(few.extremal_index(9.0), 1.0);
}

// Shares of 200 recordings whose interval covers the periods of scores that are
// exceeded with these probabilities, as a long simulation has them.
template <typename Process>
std::vector<double> coverage_of(Process process,
                                const std::vector<double>& probabilities) {
  constexpr std::size_t kRecordings = 200;
  constexpr std::size_t kRows = 4000;
  constexpr ScoreClock kClock{10, 1};
  const std::vector<double> longer = process(4000000, 1);
  std::vector<double> scores;
  std::vector<double> truths;
  for (const double p : probabilities) {
    scores.push_back(quantile(longer, 1.0 - p));
    truths.push_back(
        static_cast<double>(longer.size()) /
        static_cast<double>(
            event_peaks(longer, scores.back(), kClock.run()).size()));
  }
  std::vector<double> covered(probabilities.size());
  for (std::size_t r = 0; r < kRecordings; ++r) {
    const SeriesTail tail(process(kRows, 100 + r), kClock);
    for (std::size_t k = 0; k < covered.size(); ++k) {
      const auto found = tail.period(scores[k]);
      covered[k] += found && found->low <= truths[k] && truths[k] <= found->high
                        ? 1.0 / kRecordings
                        : 0.0;
    }
  }
  return covered;
}

TEST(ReturnPeriod, intervals_cover_the_period_of_processes_with_runs) {
  const auto gaussian = [](std::size_t n, std::uint64_t seed) {
    return autoregression(0.8, n, seed);
  };
  const auto maxima = [](std::size_t n, std::uint64_t seed) {
    std::vector<double> logs = max_autoregression(0.6, n, seed);
    for (double& v : logs) v = std::log(v);
    return logs;
  };
  for (const double share : coverage_of(gaussian, {1e-2, 2e-3})) {
    EXPECT_GE(share, 0.90);
  }
  for (const double share : coverage_of(maxima, {1e-2, 2e-3})) {
    EXPECT_GE(share, 0.90);
  }
}

TEST(ReturnPeriod, words_choose_their_unit) {
  constexpr double kDay = 1440.0;  // rows of a minute
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(describe_period({41 * kDay, 17 * kDay, 160 * kDay, false}, 60.0),
            "about once in 41 days of this recording (95 %: 17 to 160)");
  EXPECT_EQ(describe_period({30, 12.34, 61, false}, 1.0),
            "about once in 30 seconds of this recording (95 %: 12 to 61)");
  EXPECT_EQ(describe_period({60, 30, kInfinity, false}, 0.0),
            "about once in 60 rows of this recording (95 %: 30 or more)");
  EXPECT_EQ(describe_period({1461 * kDay, kDay, kInfinity, true}, 60.0),
            "less than once in 4 years, five times this recording");
  EXPECT_EQ(describe_period({1, 0.5, 2, false}, 0.0),
            "about once in 1 row of this recording (95 %: 0.5 to 2)");
}

TEST(ReturnPeriod, lengths_of_time_have_two_digits) {
  EXPECT_EQ(describe_rows(1.0, 0.0), "1 row");
  EXPECT_EQ(describe_rows(35.0, 0.0), "35 rows");
  EXPECT_EQ(describe_rows(1234.0, 0.0), "1,200 rows");
  EXPECT_EQ(describe_rows(90.0, 60.0), "90 minutes");
  EXPECT_EQ(describe_rows(150.0, 60.0), "2.5 hours");
  EXPECT_EQ(describe_rows(60.0, 1.0), "60 seconds");
  EXPECT_EQ(describe_rows(3.0 * 365.25, 86400.0), "3 years");
}

TEST(ReturnPeriod, refuses_clocks_that_stand_still) {
  const std::vector<double> scores = normals(10, 13);
  for (const ScoreClock clock : {ScoreClock{0, 1}, ScoreClock{1, 0}}) {
    EXPECT_THAT(invalid_argument_of([&] { SeriesTail(scores, clock); }),
                HasSubstr("at least 1"));
  }
}

}  // namespace return_period_test
}  // namespace sbog
