// SPDX-License-Identifier: Apache-2.0
// The picks against their definitions.
#include "sbog/sample/selection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sbog {
namespace selection_test {

constexpr PickRule kPicks[] = {PickRule::kArgmax, PickRule::kUniform,
                               PickRule::kLevel, PickRule::kLangevin,
                               PickRule::kMixed};

struct Choice {
  std::vector<std::size_t> feasible = {1, 2, 4, 5};
  std::vector<double> scores = {9.0, 0.3, 0.7, 9.0, 0.7, 0.5};
  std::vector<double> acquisitions = {9.0, 0.1, 0.2, 9.0, 0.2, 0.05};
  double uniform = 0.5;
  double explore = 0.25;

  std::vector<std::size_t> pick(PickRule rule) const {
    return select_outlier(
        {feasible, scores, acquisitions, uniform, 0.3, 0.4, explore}, rule);
  }
};

TEST(Selection, argmax_takes_the_highest_acquisition_and_the_smallest_index) {
  EXPECT_EQ(Choice().pick(PickRule::kArgmax),
            (std::vector<std::size_t>{2, 4, 1, 5}));
}

TEST(Selection, level_takes_the_score_closest_to_the_drawn_level) {
  Choice choice;
  choice.uniform = 0.51;  // level 0.504
  EXPECT_EQ(choice.pick(PickRule::kLevel),
            (std::vector<std::size_t>{5, 2, 4, 1}));
  choice.uniform = 0.01;  // level 0.304
  EXPECT_EQ(choice.pick(PickRule::kLevel)[0], 1u);
  choice.uniform = 0.99;  // level 0.696
  EXPECT_EQ(choice.pick(PickRule::kLangevin)[0], 2u);
}

TEST(Selection, an_infinite_score_is_never_closest_to_a_level) {
  Choice choice;
  choice.scores[1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(choice.pick(PickRule::kLevel).back(), 1u);
}

TEST(Selection, uniform_gives_every_proposal_the_same_share_of_the_draw) {
  Choice choice;
  for (std::size_t i = 0; i < 400; ++i) {
    choice.uniform = (static_cast<double>(i) + 0.5) / 400.0;
    EXPECT_EQ(choice.pick(PickRule::kUniform)[0], choice.feasible[i / 100]);
  }
  choice.uniform = 1.0;
  EXPECT_EQ(choice.pick(PickRule::kUniform)[0], 5u);
}

TEST(Selection, mixed_is_uniform_below_the_share_and_argmax_above_it) {
  Choice choice;  // a quarter of the draws explore
  for (std::size_t i = 0; i < 100; ++i) {
    choice.uniform = 0.25 * (static_cast<double>(i) + 0.5) / 100.0;
    EXPECT_EQ(choice.pick(PickRule::kMixed)[0], choice.feasible[i / 25]);
  }
  for (const double uniform : {0.25, 0.4, 0.999}) {
    choice.uniform = uniform;
    EXPECT_EQ(choice.pick(PickRule::kMixed), choice.pick(PickRule::kArgmax));
  }
  choice.uniform = 0.001;
  choice.explore = 0.0;
  EXPECT_EQ(choice.pick(PickRule::kMixed), choice.pick(PickRule::kArgmax));
  choice.explore = 1.0;
  EXPECT_EQ(choice.pick(PickRule::kMixed), choice.pick(PickRule::kUniform));
}

RC_GTEST_PROP(Selection, every_order_holds_each_feasible_proposal_once, ()) {
  Choice choice;
  choice.scores = *rc::gen::container<std::vector<double>>(
      6, rc::gen::element(0.1, 0.2, 0.3));
  choice.acquisitions = choice.scores;
  choice.uniform = *rc::gen::element(1e-9, 0.3, 0.6, 0.999);
  for (const PickRule rule : kPicks) {
    std::vector<std::size_t> order = choice.pick(rule);
    std::sort(order.begin(), order.end());
    RC_ASSERT(order == choice.feasible);
  }
}

TEST(Selection, nothing_feasible_gives_nothing) {
  Choice choice;
  choice.feasible.clear();
  for (const PickRule rule : kPicks) EXPECT_TRUE(choice.pick(rule).empty());
}

}  // namespace selection_test
}  // namespace sbog
