// SPDX-License-Identifier: Apache-2.0
// A round's numbers against points drawn and measured one by one.
#include "sbog/sample/round.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "sample/support.h"
#include "sbog/sample/proposals.h"

namespace sbog {
namespace round_test {

using testing_support::plain_cosine;
using testing_support::plain_energy;
using testing_support::small_options;
using testing_support::sphere_bank;
using testing_support::unit;

TEST(Round, scores_and_cosines_are_those_of_the_points) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  const std::vector<double> t = unit({1.0, 0.0, 0.1, 0.0});
  const SamplerOptions options = small_options();
  const auto prepared = prepare_class<double>({bank.view(), t, {}, 2}, options);
  std::vector<Turn> turns(3);
  for (std::size_t i = 0; i < 3; ++i) {
    turns[i].anchor = i + 1;
    turns[i].key = {7, 2, 1, static_cast<std::uint32_t>(i)};
  }
  Matrix<double> points;
  play_turns(*prepared, 5, turns, points);
  std::vector<std::size_t> all(40);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < 3; ++i) {
    const auto anchor = prepared->mapped_anchors.row(i + 1);
    for (std::size_t j = 0; j < 5; ++j) {
      std::vector<double> v(4);
      draw_proposal<double>(turns[i].key, {anchor, prepared->scale}, options,
                            static_cast<std::uint32_t>(j), v);
      EXPECT_EQ(point_of<double>(*prepared, turns[i],
                                 points.view().subrows(i * 5, 5), j),
                v);
      EXPECT_NEAR(turns[i].scores[j],
                  plain_energy<double>(bank.view(), all, v, 0.05, 40.0), 1e-12);
      EXPECT_EQ(turns[i].acquisitions[j], turns[i].scores[j]);
      EXPECT_NEAR(turns[i].class_cosines[j], plain_cosine(v, t), 1e-14);
      EXPECT_NEAR(turns[i].seed_cosines[j], plain_cosine(v, anchor), 1e-14);
    }
  }
}

TEST(Round, subspace_numbers_are_those_of_the_completed_point) {
  const Matrix<double> bank = sphere_bank<double>(60, 40, 3);
  SamplerOptions options = small_options();
  options.local = 6;
  options.proposal_mode = ProposalMode::kSubspace;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  std::vector<Turn> turns(1);
  turns[0].anchor = 3;
  turns[0].key = {7, 0, 0, 11};
  Matrix<double> points;
  play_turns(*prepared, 6, turns, points);
  EXPECT_EQ(points.rows(), 0u);
  for (std::size_t j = 0; j < 6; ++j) {
    const std::vector<double> v = point_of<double>(*prepared, turns[0], {}, j);
    EXPECT_NEAR(turns[0].scores[j], prepared->exact_energy_at(3, v), 1e-5);
    EXPECT_NEAR(turns[0].seed_cosines[j],
                plain_cosine(v, prepared->mapped_anchors.row(3)), 1e-6);
  }
}

TEST(Round, feasible_proposals_pass_the_tests_one_by_one) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  SamplerOptions options = small_options();
  options.seed_floor = 0.995;
  const auto prepared =
      prepare_class<double>({bank.view(), {}, {}, 0}, options);
  std::vector<Turn> turns(1);
  turns[0].key = {7, 0, 0, 0};
  Matrix<double> points;
  play_turns(*prepared, 64, turns, points);
  std::vector<std::size_t> expected;
  for (std::size_t j = 0; j < 64; ++j) {
    if (turns[0].scores[j] >= prepared->plan.threshold &&
        turns[0].seed_cosines[j] >= 0.995) {
      expected.push_back(j);
    }
  }
  EXPECT_EQ(feasible_of(*prepared, turns[0]).proposals, expected);
  EXPECT_FALSE(expected.empty());
  EXPECT_LT(expected.size(), 64u);
}

TEST(Round, anchors_are_drawn_from_the_stream_or_taken_in_turn) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  SamplerOptions options = small_options();
  const auto random = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  options.anchor_quota = true;
  const auto quota = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  for (std::uint32_t k = 0; k < 20; ++k) {
    RoundKey key{7, 0, 3, k};
    EXPECT_EQ(draw_anchor(*random, key), stream_of(key).anchor_index(8));
    EXPECT_EQ(draw_anchor(*quota, key), k % 8);
    for (const std::uint32_t round : {0U, 7U, 8U, 15U, 16U, 8U * 8U}) {
      key.round = round;
      EXPECT_EQ(draw_anchor(*quota, key), (k + round / 8) % 8);
    }
    for (const std::uint32_t round : {kProbeRound, kSplittingRound}) {
      key.round = round;
      EXPECT_EQ(draw_anchor(*quota, key), k % 8);
    }
  }
}

}  // namespace round_test
}  // namespace sbog
