// SPDX-License-Identifier: Apache-2.0
#include "sbog/series/scoring.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "sbog/base/errors.h"

namespace sbog::series {
namespace scoring_test {

// One row per class number: 0.7 there, the rest even over three others.
Matrix<float> pool_of(std::initializer_list<std::size_t> classes) {
  Matrix<float> p(classes.size(), 4);
  std::size_t i = 0;
  for (const std::size_t c : classes) {
    for (std::size_t k = 0; k < 4; ++k) p(i, k) = k == c ? 0.7F : 0.1F;
    ++i;
  }
  return p;
}

TEST(Scoring, the_majority_is_counted_over_the_originals) {
  const Matrix<float> pool = pool_of({1, 1, 0, /*negatives*/ 2, 2, 2});
  EXPECT_EQ(normal_classes(pool, 3, ScoreRule::kMajority),
            (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(normal_classes(pool, 3, ScoreRule::kMajority, true),
            (std::vector<bool>{false, false, true, false}));
}

TEST(Scoring, the_normal_set_holds_more_originals_than_negatives) {
  const Matrix<float> pool = pool_of({1, 1, 0, 3, 1, 2, 3});
  EXPECT_EQ(normal_classes(pool, 4, ScoreRule::kNormalSet),
            (std::vector<bool>{true, true, false, false}));
}

TEST(Scoring, the_rules_agree_when_one_class_holds_all_originals) {
  const Matrix<float> pool = pool_of({2, 2, 2, 0, 1});
  EXPECT_EQ(normal_classes(pool, 3, ScoreRule::kMajority),
            normal_classes(pool, 3, ScoreRule::kNormalSet));
}

TEST(Scoring, without_a_class_of_its_own_the_normal_set_is_the_majority) {
  const Matrix<float> pool = pool_of({2, 2, 1, /*negatives*/ 2, 2, 1});
  EXPECT_EQ(normal_classes(pool, 3, ScoreRule::kNormalSet),
            (std::vector<bool>{false, false, true, false}));
}

TEST(Scoring, a_score_is_what_the_normal_classes_leave) {
  const Matrix<float> pool = pool_of({0, 1});
  const auto scores = anomaly_scores(pool, {true, false, true, false});
  EXPECT_NEAR(scores[0], 0.2, 1e-6);
  EXPECT_NEAR(scores[1], 0.8, 1e-6);
}

TEST(Scoring, ties_go_to_the_smaller_class) {
  const Matrix<float> even(1, 3);
  EXPECT_EQ(assigned_classes(even)[0], 0u);
  EXPECT_EQ(normal_classes(pool_of({3, 1}), 2, ScoreRule::kMajority),
            (std::vector<bool>{false, true, false, false}));
}

TEST(Scoring, wrong_counts_are_refused) {
  EXPECT_THROW(normal_classes(pool_of({0}), 2, ScoreRule::kMajority),
               InvalidArgument);
  EXPECT_THROW(anomaly_scores(pool_of({0}), {true}), InvalidArgument);
}

}  // namespace scoring_test
}  // namespace sbog::series
