// SPDX-License-Identifier: Apache-2.0
// Resampled weights, and prepared classes on them.
#include "sbog/certify/reference_replica.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "certify/support.h"
#include "sample/support.h"
#include "sbog/certify/replay.h"

namespace sbog {
namespace reference_replica_test {

using testing_support::invalid_argument_of;
using testing_support::plain_cosine;
using testing_support::small_options;
using testing_support::sphere_bank;

TEST(ReferenceReplica, weights_are_n_draws_with_replacement) {
  const std::size_t n = 500;
  double distinct = 0.0;
  std::vector<double> total(n, 0.0);
  for (std::uint32_t b = 0; b < 40; ++b) {
    const auto weights = draw_weights(n, 9, b);
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0.0), 500.0);
    for (std::size_t i = 0; i < n; ++i) {
      distinct += weights[i] > 0.0 ? 1.0 : 0.0;
      total[i] += weights[i];
    }
  }
  // 1 - 1/e of the points; a count of 20,000 has a deviation of about 0.3 %.
  EXPECT_NEAR(distinct / (40.0 * 500.0), 1.0 - std::exp(-1.0), 0.01);
  // Each point is drawn 40 times on average, with a deviation of 6.3.
  for (const double count : total) EXPECT_NEAR(count, 40.0, 32.0);
  EXPECT_EQ(draw_weights(n, 9, 3), draw_weights(n, 9, 3));
  EXPECT_NE(draw_weights(n, 9, 3), draw_weights(n, 9, 4));
  EXPECT_NE(draw_weights(n, 9, 3), draw_weights(n, 10, 3));
  EXPECT_TRUE(draw_weights(0, 9, 3).empty());
}

SamplerOptions variant(AnchorRule rule, double trim) {
  SamplerOptions options = small_options();
  options.anchor_rule = rule;
  options.trim = trim;
  options.margin = 0.003;
  return options;
}

TEST(ReferenceReplica, equal_weights_give_the_class_back) {
  const Matrix<double> bank = sphere_bank<double>(90, 5, 3);
  const auto t = testing_support::unit({1, 0.1, 0, 0, 0});
  for (const AnchorRule rule : {AnchorRule::kTop, AnchorRule::kFarthestPoint,
                                AnchorRule::kRegions, AnchorRule::kDpp}) {
    for (const double trim : {0.0, 0.08, 0.081}) {
      SamplerOptions options = variant(rule, trim);
      options.certify = trim == 0.081 || rule == AnchorRule::kDpp;
      options.seed_eligibility = 0.8;
      const auto base = prepare_class<double>({bank.view(), t, {}, 2}, options);
      const std::vector<double> ones(90, 1.0);
      const auto replica = replicate_class(*base, ones);
      // Weights of 1 and no weights differ by the rounding of a logarithm.
      EXPECT_NEAR(replica->plan.threshold, base->plan.threshold, 1e-13);
      EXPECT_EQ(replica->limits.threshold, replica->plan.threshold);
      EXPECT_EQ(replica->limits.semantic_floor, base->limits.semantic_floor);
      EXPECT_EQ(replica->kept, base->kept);
      EXPECT_THAT(replica->scores,
                  testing::Pointwise(testing::DoubleNear(1e-13), base->scores));
      EXPECT_EQ(replica->anchors.anchors, base->anchors.anchors);
      EXPECT_EQ(replica->anchors.regions, base->anchors.regions);
      const Replay a = replay_rounds(*base, 20);
      const Replay b = replay_rounds(*replica, 20);
      for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_TRUE(a.rounds[i].has_output_of(b.rounds[i]));
        EXPECT_NEAR(a.rounds[i].best, b.rounds[i].best, 1e-13);
      }
    }
  }
}

TEST(ReferenceReplica, scores_are_weighted_leave_one_out_energies) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  const SamplerOptions options = variant(AnchorRule::kTop, 0.0);
  const auto base = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  const auto weights = draw_weights(40, 1, 0);
  const auto replica = replicate_class(*base, weights);
  for (std::size_t i = 0; i < 40; ++i) {
    long double sum = 0;
    long double mass = 0;
    for (std::size_t j = 0; j < 40; ++j) {
      if (j == i) continue;  // and all of its copies with it
      const double cost = 1.0 - plain_cosine(bank.row(i), bank.row(j));
      sum += weights[j] * std::exp(-static_cast<long double>(cost) / 0.05L);
      mass += weights[j];
    }
    EXPECT_NEAR(replica->scores[i],
                static_cast<double>(-0.05L * std::log(sum / mass)), 1e-12);
  }
}

TEST(ReferenceReplica, a_split_bank_resamples_the_reference_half_alone) {
  const Matrix<double> bank = sphere_bank<double>(80, 4, 3);
  SamplerOptions options = variant(AnchorRule::kTop, 0.0);
  options.certify = true;
  const auto base = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  const auto weights = draw_weights(80, 1, 0);
  const auto replica = replicate_class(*base, weights);
  EXPECT_EQ(replica->kept, base->kept);
  EXPECT_EQ(replica->calibration, base->calibration);
  EXPECT_EQ(replica->anchors.anchors, base->anchors.anchors);
  EXPECT_NE(replica->plan.threshold, base->plan.threshold);
  std::vector<double> scores;
  for (const std::size_t i : base->calibration) {
    long double sum = 0;
    long double mass = 0;
    for (const std::size_t j : base->kept) {
      const double cost = 1.0 - plain_cosine(bank.row(i), bank.row(j));
      sum += weights[j] * std::exp(-static_cast<long double>(cost) / 0.05L);
      mass += weights[j];
    }
    scores.push_back(static_cast<double>(-0.05L * std::log(sum / mass)));
  }
  std::sort(scores.begin(), scores.end());
  EXPECT_NEAR(replica->plan.threshold, scores[33 - 1] + 0.003, 1e-12);
}

TEST(ReferenceReplica, common_anchors_keep_their_place) {
  const Matrix<double> bank = sphere_bank<double>(120, 4, 3);
  const auto base = prepare_class<double>({bank.view(), {}, {}, 0},
                                          variant(AnchorRule::kTop, 0.0));
  const auto rows = [](const PreparedClass<double>& prepared) {
    std::vector<std::size_t> out;
    for (const std::size_t a : prepared.anchors.regions[0]) {
      out.push_back(prepared.anchors.anchors[a]);
    }
    return out;
  };
  const auto mine = rows(*base);
  std::size_t common = 0;
  for (std::uint32_t b = 0; b < 10; ++b) {
    const auto weights = draw_weights(120, 2, b);
    const auto replica = replicate_class(*base, weights);
    const auto theirs = rows(*replica);
    ASSERT_EQ(theirs.size(), mine.size());
    for (std::size_t p = 0; p < mine.size(); ++p) {
      const auto at = std::find(theirs.begin(), theirs.end(), mine[p]);
      if (at == theirs.end()) continue;
      EXPECT_EQ(at - theirs.begin(), static_cast<std::ptrdiff_t>(p));
      ++common;
    }
    auto sorted = replica->anchors.regions[0];
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, oracle::iota(mine.size()));
  }
  EXPECT_GT(common, 0u);
}

TEST(ReferenceReplica, rules_without_an_energy_test_keep_their_limit) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  SamplerOptions options = small_options();
  options.rule = Rule::kNoThreshold;
  const auto base =
      prepare_class<double>({bank.view(), {}, {}, 0}, apply_rule(options));
  const auto weights = draw_weights(40, 1, 0);
  EXPECT_EQ(replicate_class(*base, weights)->limits.threshold,
            base->limits.threshold);
}

TEST(ReferenceReplica, what_it_cannot_do_is_refused) {
  const Matrix<double> bank = sphere_bank<double>(40, 4, 3);
  const auto base =
      prepare_class<double>({bank.view(), {}, {}, 0}, small_options());
  const std::vector<double> few(39, 1.0);
  EXPECT_EQ(invalid_argument_of([&] { replicate_class(*base, few); }),
            "bootstrap: one weight per point is expected");
  const std::vector<double> ones(40, 1.0);
  SamplerOptions options = small_options();
  options.local = 8;
  const auto local = prepare_class<double>({bank.view(), {}, {}, 0}, options);
  EXPECT_THROW(replicate_class(*local, ones), InvalidArgument);
  options = small_options();
  options.rule = Rule::kKnn;
  const auto knn =
      prepare_class<double>({bank.view(), {}, {}, 0}, apply_rule(options));
  EXPECT_EQ(invalid_argument_of([&] { replicate_class(*knn, ones); }),
            "bootstrap: a rule that ranks by energy is expected");
}

}  // namespace reference_replica_test
}  // namespace sbog
