// SPDX-License-Identifier: Apache-2.0
// The parts of zeta by hand, the inequality it rests on, and safe rounds that
// no error of the stated size can change.
#include "sbog/certify/stability_bound.h"

#include <gtest/gtest.h>

#include "certify/support.h"

namespace sbog {
namespace stability_bound_test {

using testing_support::kInfinity;
using testing_support::kNan;
using testing_support::Uniforms;

RoundOutcome outcome(double best, double second, bool is_accepted) {
  RoundOutcome round;
  round.best = best;
  round.second = second;
  round.is_accepted = is_accepted;
  return round;
}

TEST(StabilityBound, conditional_laws_are_apart_by_no_more_than_claimed) {
  // TV(P|S, Q|S) <= TV(P, Q) / max(P(S), Q(S)), without a factor 2.
  Uniforms uniform(41);
  double largest_ratio = 0.0;
  for (int t = 0; t < 5000; ++t) {
    std::vector<double> p(5);
    std::vector<double> q(5);
    double sum_p = 0.0;
    double sum_q = 0.0;
    for (int i = 0; i < 5; ++i) {
      sum_p += p[i] = std::pow(uniform(), 4.0);
      sum_q += q[i] = std::pow(uniform(), 4.0);
    }
    double apart = 0.0;
    double in_p = 0.0;
    double in_q = 0.0;
    for (int i = 0; i < 5; ++i) {
      p[i] /= sum_p;
      q[i] /= sum_q;
      apart += 0.5 * std::abs(p[i] - q[i]);
      if (i >= 3) continue;  // S is the first three
      in_p += p[i];
      in_q += q[i];
    }
    double conditional = 0.0;
    for (int i = 0; i < 3; ++i) {
      conditional += 0.5 * std::abs(p[i] / in_p - q[i] / in_q);
    }
    const double ratio = conditional * std::max(in_p, in_q) / apart;
    largest_ratio = std::max(largest_ratio, ratio);
  }
  EXPECT_LE(largest_ratio, 1.0 + 1e-12);
  EXPECT_GT(largest_ratio, 0.9);
}

TEST(StabilityBound, anchors_near_the_cut_are_counted) {
  const std::vector<double> scores = {0.9, 0.1, 0.5, 0.52, 0.48, 0.2, 0.8};
  // A = 3: the third highest is 0.52; within 2t = 0.05 lie 0.5, 0.52, 0.48.
  EXPECT_EQ(anchor_fragility(scores, 3, 0.025), 3.0 / 6.0);
  EXPECT_EQ(anchor_fragility(scores, 3, 0.0), 1.0 / 6.0);
  EXPECT_EQ(anchor_fragility(scores, 1, 10.0), 1.0);
  const std::vector<double> infinite = {kInfinity, kInfinity, 0.0};
  EXPECT_EQ(anchor_fragility(infinite, 1, 0.1), 1.0);
  EXPECT_THROW(anchor_fragility(scores, 0, 0.1), InvalidArgument);
  EXPECT_THROW(anchor_fragility(scores, 8, 0.1), InvalidArgument);
  EXPECT_THROW(anchor_fragility(scores, 3, -0.1), InvalidArgument);
  EXPECT_THROW(anchor_fragility(scores, 3, kNan), InvalidArgument);
}

TEST(StabilityBound, rounds_near_the_threshold_or_without_a_clear_best_count) {
  Replay replay;
  replay.rounds = {outcome(0.20, 0.10, true),    // clear
                   outcome(0.20, 0.19, true),    // the second is close
                   outcome(0.11, 0.02, true),    // near the threshold
                   outcome(0.095, 0.02, false),  // near from below
                   outcome(0.05, 0.05, false)};  // fails for sure
  EXPECT_EQ(round_fragility(replay, 0.1, 0.02), 3.0 / 5.0);
  EXPECT_EQ(round_fragility(replay, 0.1, 0.0), 0.0);
  EXPECT_EQ(round_fragility(Replay(), 0.1, 0.1), 0.0);
}

TEST(StabilityBound, no_error_of_that_size_changes_a_safe_round) {
  Uniforms uniform(42);
  const double t = 0.03;
  const double tau = 0.5;
  int safe = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> scores(4);
    for (double& s : scores) s = uniform(0.2, 0.8);
    std::vector<double> ordered = scores;
    std::sort(ordered.rbegin(), ordered.rend());
    Replay replay;
    replay.rounds = {outcome(ordered[0], ordered[1], ordered[0] >= tau)};
    if (round_fragility(replay, tau, t) > 0.0) continue;
    ++safe;
    const auto pick = [&](const std::vector<double>& s) {
      const auto best = std::max_element(s.begin(), s.end());
      return *best >= tau ? best - s.begin() : -1;
    };
    const auto expected = pick(scores);
    for (int j = 0; j < 20; ++j) {
      std::vector<double> moved = scores;
      for (double& s : moved) s += uniform(-t, t);
      ASSERT_EQ(pick(moved), expected);
    }
  }
  EXPECT_GT(safe, 300);
}

TEST(StabilityBound, zeta_is_the_sum_over_the_acceptance) {
  std::vector<double> scores;
  for (int i = 0; i < 100; ++i) scores.push_back(0.01 * i);
  Replay replay;
  for (int i = 0; i < 8; ++i) replay.rounds.push_back(outcome(2, 1, true));
  replay.rounds.push_back(outcome(0.0, 0.0, false));
  replay.rounds.push_back(outcome(1.0, 0.0, true));
  // A = 10: cut at 0.90; within 0.002: itself. One round of ten is fragile.
  const StabilityBound bound = stability_bound(scores, 10, replay, 1.0, 0.001);
  EXPECT_FALSE(bound.is_vacuous);
  EXPECT_NEAR(bound.anchor_part, 0.05, 1e-15);
  EXPECT_NEAR(bound.round_part, 0.1, 1e-15);
  EXPECT_NEAR(bound.acceptance, 0.9, 1e-15);
  EXPECT_NEAR(bound.zeta, 0.15 / 0.9, 1e-15);
  EXPECT_STREQ(to_string(bound.evidence), "plug-in");
}

TEST(StabilityBound, it_says_why_it_is_vacuous) {
  const std::vector<double> scores = {0.1, 0.2, 0.3, 0.4};
  Replay replay;
  replay.rounds = {outcome(0.5, 0.4, true), outcome(0.1, 0.0, false)};
  const StabilityBound bound = stability_bound(scores, 2, replay, 0.3, 0.2);
  EXPECT_TRUE(bound.is_vacuous);
  EXPECT_EQ(bound.zeta, 1.0);
  EXPECT_EQ(bound.reason,
            "Vacuous: an error of 0.2 on every energy may change 100 % of the "
            "anchors and 100 % of the rounds, of which 50 % give an output.");
  replay.rounds = {outcome(0.1, 0.0, false)};
  EXPECT_EQ(stability_bound(scores, 2, replay, 0.3, 0.0).reason,
            "Vacuous: no replayed round gave an output.");
}

TEST(StabilityBound, the_error_of_a_pool_is_its_widest_interval) {
  const std::vector<Interval> intervals = {{0.1, 0.3}, {0.2, 0.25}};
  EXPECT_NEAR(largest_half_width(intervals), 0.1, 1e-15);
  EXPECT_EQ(largest_half_width({}), 0.0);
  const std::vector<Interval> open = {{0.1, kInfinity}};
  EXPECT_EQ(largest_half_width(open), kInfinity);
}

}  // namespace stability_bound_test
}  // namespace sbog
