// SPDX-License-Identifier: Apache-2.0
// The tests of proposals against an obvious loop.
#include "sbog/sample/feasibility.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace sbog {
namespace feasibility_test {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Few values, so that equality with a limit is common.
rc::Gen<std::vector<double>> values(std::size_t count) {
  return rc::gen::container<std::vector<double>>(
      count,
      rc::gen::element(-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, kInf, -kInf, kNan));
}

RC_GTEST_PROP(Feasibility, keeps_exactly_what_an_obvious_loop_keeps, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 20);
  const std::vector<double> scores = *values(count);
  const bool has_class = *rc::gen::arbitrary<bool>();
  const bool has_seed = *rc::gen::arbitrary<bool>();
  const std::vector<double> class_cosines = *values(has_class ? count : 0);
  const std::vector<double> seed_cosines = *values(has_seed ? count : 0);
  Limits limits;
  limits.threshold = *rc::gen::element(-kInf, 0.25, 0.5);
  limits.semantic_floor = *rc::gen::element(-kInf, 0.25, 0.5);
  limits.seed_floor = *rc::gen::element(-kInf, 0.25, 0.75);
  limits.allow_unsupported = *rc::gen::arbitrary<bool>();
  limits.ceiling = *rc::gen::element(0.5, 0.75, kInf);
  std::vector<bool> is_valid;
  if (*rc::gen::arbitrary<bool>()) {
    is_valid = *rc::gen::container<std::vector<bool>>(
        count, rc::gen::arbitrary<bool>());
  }
  std::vector<std::size_t> expected;
  FailureCounts failures;
  for (std::size_t j = 0; j < count; ++j) {
    ++failures.proposals;
    if (!is_valid.empty() && !is_valid[j]) {
      ++failures.invalid;
      continue;
    }
    bool passes = scores[j] >= limits.threshold && scores[j] <= limits.ceiling;
    if (std::isinf(scores[j]) && !limits.allow_unsupported) passes = false;
    if (!passes) ++failures.energy;
    if (has_class && !(class_cosines[j] >= limits.semantic_floor)) {
      ++failures.semantic;
      passes = false;
    }
    if (has_seed && !(seed_cosines[j] >= limits.seed_floor)) {
      ++failures.seed;
      passes = false;
    }
    if (passes) expected.push_back(j);
  }
  const FeasibleSet set =
      filter_feasible({scores, class_cosines, seed_cosines}, limits, is_valid);
  RC_ASSERT(set.proposals == expected);
  RC_ASSERT(set.failures.proposals == failures.proposals);
  RC_ASSERT(set.failures.energy == failures.energy);
  RC_ASSERT(set.failures.semantic == failures.semantic);
  RC_ASSERT(set.failures.seed == failures.seed);
  RC_ASSERT(set.failures.invalid == failures.invalid);
}

TEST(Feasibility, equality_with_a_limit_passes) {
  Limits limits{0.5, 0.25, 0.75, false};
  const std::vector<double> score = {0.5};
  const std::vector<double> semantic = {0.25};
  const std::vector<double> seed = {0.75};
  EXPECT_EQ(filter_feasible({score, semantic, seed}, limits).proposals,
            std::vector<std::size_t>{0});
}

TEST(Feasibility, unsupported_points_pass_only_when_allowed) {
  const std::vector<double> scores = {kInf, 1.0};
  Limits limits;
  EXPECT_EQ(filter_feasible({scores, {}, {}}, limits).proposals,
            std::vector<std::size_t>{1});
  limits.allow_unsupported = true;
  EXPECT_EQ(filter_feasible({scores, {}, {}}, limits).proposals,
            (std::vector<std::size_t>{0, 1}));
}

TEST(Feasibility, a_cosine_that_is_not_a_number_fails_its_test) {
  Limits limits;
  limits.semantic_floor = -1.0;
  limits.seed_floor = -1.0;
  const std::vector<double> score = {1.0};
  const std::vector<double> broken = {kNan};
  EXPECT_TRUE(filter_feasible({score, broken, {}}, limits).proposals.empty());
  EXPECT_TRUE(filter_feasible({score, {}, broken}, limits).proposals.empty());
}

TEST(Feasibility, the_highest_score_is_over_all_valid_proposals) {
  const std::vector<double> scores = {0.1, 0.9, 0.3};
  Limits limits;
  limits.threshold = 5.0;
  EXPECT_EQ(filter_feasible({scores, {}, {}}, limits).highest_score, 0.9);
  EXPECT_EQ(filter_feasible({scores, {}, {}}, limits, {true, false, true})
                .highest_score,
            0.3);
  EXPECT_EQ(filter_feasible({}, limits).highest_score, -kInf);
}

TEST(Feasibility, the_test_that_failed_most_binds) {
  EXPECT_STREQ(to_string(binding_constraint({10, 5, 2, 1, 0})), "energy");
  EXPECT_STREQ(to_string(binding_constraint({10, 2, 5, 1, 0})), "semantic");
  EXPECT_STREQ(to_string(binding_constraint({10, 2, 1, 5, 0})), "seed");
  EXPECT_STREQ(to_string(binding_constraint({10, 2, 1, 3, 5})), "projection");
  EXPECT_STREQ(to_string(binding_constraint({10, 3, 3, 3, 3})), "energy");
  EXPECT_STREQ(to_string(binding_constraint({10, 0, 0, 0, 0})), "none");
}

TEST(Feasibility, only_bood_is_bound_by_a_boundary) {
  EXPECT_STREQ(to_string(Constraint::kBoundary), "boundary");
  EXPECT_STREQ(to_string(Constraint::kDecoding), "decoding");
}

TEST(Feasibility, counts_add_up) {
  FailureCounts a{1, 2, 3, 4, 5};
  a.add({10, 20, 30, 40, 50});
  EXPECT_EQ(a.proposals, 11u);
  EXPECT_EQ(a.energy, 22u);
  EXPECT_EQ(a.semantic, 33u);
  EXPECT_EQ(a.seed, 44u);
  EXPECT_EQ(a.invalid, 55u);
}

}  // namespace feasibility_test
}  // namespace sbog
