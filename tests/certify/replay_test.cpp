// SPDX-License-Identifier: Apache-2.0
// Replayed rounds are those of the sampler.
#include "sbog/certify/replay.h"

#include <gtest/gtest.h>

#include "certify/support.h"
#include "sample/support.h"
#include "sbog/sample/round.h"

namespace sbog {
namespace replay_test {

using testing_support::CancelAtOnce;
using testing_support::run_class;
using testing_support::small_options;
using testing_support::sphere_bank;

template <typename T>
void expect_sampler_rounds(PickRule pick) {
  const Matrix<T> bank = sphere_bank<T>(60, 4, 3);
  SamplerOptions options = small_options();
  options.max_rounds = 1;
  options.pick = pick;
  options.sigma = 0.02;
  options.quantile = 0.95;
  const auto prepared = prepare_class<T>({bank.view(), {}, {}, 1}, options);
  const auto run = run_class(*prepared, 50);
  const Replay replay = replay_rounds(*prepared, 50);
  ASSERT_EQ(replay.rounds.size(), 50u);
  for (std::size_t k = 0; k < 50; ++k) {
    ASSERT_EQ(replay.rounds[k].is_accepted, run.outputs[k].is_accepted) << k;
    if (!run.outputs[k].is_accepted) continue;
    EXPECT_EQ(replay.rounds[k].anchor_row, run.outputs[k].anchor_row);
    EXPECT_EQ(replay.rounds[k].proposal, run.outputs[k].proposal);
  }
  EXPECT_EQ(replay.acceptance(), static_cast<double>(run.accepted()) / 50.0);
  EXPECT_GT(run.accepted(), 0u);
}

TEST(Replay, outcomes_are_those_of_the_first_round_of_the_sampler) {
  expect_sampler_rounds<double>(PickRule::kArgmax);
  expect_sampler_rounds<double>(PickRule::kUniform);
  expect_sampler_rounds<float>(PickRule::kLevel);
  expect_sampler_rounds<float>(PickRule::kMixed);
}

TEST(Replay, best_and_second_are_the_two_highest_scores) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  const Replay replay = replay_rounds(*prepared, 10);
  for (std::uint32_t k = 0; k < 10; ++k) {
    std::vector<Turn> turns(1);
    turns[0].key = {7, 0, 0, k};
    turns[0].anchor = draw_anchor(*prepared, turns[0].key);
    Matrix<double> points;
    play_turns(*prepared, 32, turns, points);
    std::vector<double> scores = turns[0].scores;
    std::sort(scores.rbegin(), scores.rend());
    EXPECT_EQ(replay.rounds[k].best, scores[0]);
    EXPECT_EQ(replay.rounds[k].second, scores[1]);
  }
}

TEST(Replay, equal_outputs_agree_in_anchor_and_proposal) {
  RoundOutcome a;
  RoundOutcome b;
  b.anchor_row = 3;
  EXPECT_TRUE(a.has_output_of(b));  // both failed
  a.is_accepted = true;
  EXPECT_FALSE(a.has_output_of(b));
  b.is_accepted = true;
  EXPECT_FALSE(a.has_output_of(b));
  a.anchor_row = 3;
  EXPECT_TRUE(a.has_output_of(b));
  a.proposal = 1;
  EXPECT_FALSE(a.has_output_of(b));
}

TEST(Replay, threads_change_nothing_and_a_cancel_is_reported) {
  const Matrix<float> bank = sphere_bank<float>(80, 6, 3);
  const auto prepared =
      prepare_class<float>({bank.view(), {}, {}, 0}, small_options());
  const Replay expected = replay_rounds(*prepared, 37);
  for (const std::size_t threads : {2, 5}) {
    ThreadPool pool(threads);
    const Replay found = replay_rounds(*prepared, 37, {&pool, nullptr});
    for (std::size_t i = 0; i < 37; ++i) {
      EXPECT_TRUE(found.rounds[i].has_output_of(expected.rounds[i]));
      EXPECT_EQ(found.rounds[i].best, expected.rounds[i].best);
    }
  }
  CancelAtOnce observer;
  EXPECT_EQ(replay_rounds(*prepared, 37, {nullptr, &observer}).status,
            SolveStatus::kCancelled);
  EXPECT_EQ(replay_rounds(*prepared, 0).acceptance(), 0.0);
}

}  // namespace replay_test
}  // namespace sbog
