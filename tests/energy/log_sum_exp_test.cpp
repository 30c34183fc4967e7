// SPDX-License-Identifier: Apache-2.0
// The algebra of the mergeable state.
#include "sbog/energy/log_sum_exp.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "oracle/energy_oracle.h"
#include "oracle/golden.h"

namespace sbog {
namespace log_sum_exp_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(LogSumExp, an_empty_state_has_no_support) {
  const LogSumExp empty;
  EXPECT_TRUE(empty.is_empty());
  EXPECT_EQ(empty.log_support(), -kInfinity);
  EXPECT_EQ(empty.energy(0.1), kInfinity);
}

TEST(LogSumExp, gives_the_golden_states_and_their_merge) {
  const auto b = golden::entry("/core/B_sqeuclid_weighted");
  const auto weights = golden::to_vector(b.at("weights"));
  const auto costs = golden::to_vector(b.at("costs"));
  const double epsilon = golden::to_double(b.at("eps"));
  LogSumExp left;
  LogSumExp right;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    LogSumExp& state = i < 2 ? left : right;
    state.add(std::log(weights[i]) - costs[i] / epsilon, weights[i]);
  }
  const auto states = b.at("merge_states");
  EXPECT_NEAR(left.max, golden::to_double(states[0][0]), 1e-13);
  EXPECT_NEAR(left.sum, golden::to_double(states[0][1]), 1e-13);
  EXPECT_NEAR(right.max, golden::to_double(states[1][0]), 1e-13);
  EXPECT_NEAR(right.sum, golden::to_double(states[1][1]), 1e-13);
  left.merge(right);
  EXPECT_DOUBLE_EQ(left.mass, 1.0);
  EXPECT_NEAR(left.energy(epsilon), golden::to_double(b.at("E")), 1e-13);
  EXPECT_NEAR(std::exp(left.log_support()), golden::to_double(b.at("K")),
              1e-13);
}

TEST(LogSumExp, does_not_underflow_where_the_plain_sum_does) {
  const auto c = golden::entry("/core/C_underflow");
  const double epsilon = golden::to_double(c.at("eps"));
  LogSumExp state;
  for (const double cost : golden::to_vector(c.at("costs"))) {
    ASSERT_EQ(std::exp(-cost / epsilon), 0.0);
    state.add(-cost / epsilon, 1.0);
  }
  const double expected = golden::to_double(c.at("log_K"));
  EXPECT_NEAR(state.log_support(), expected, 1e-12 * -expected);
  EXPECT_NEAR(state.energy(epsilon), golden::to_double(c.at("E")), 1e-12);
}

TEST(LogSumExp, an_unsupported_atom_adds_its_mass_only) {
  LogSumExp state;
  state.add(-kInfinity, 3.0);
  EXPECT_TRUE(state.is_empty());
  EXPECT_EQ(state.mass, 3.0);
  LogSumExp other;
  other.add(-kInfinity, 2.0);
  state.merge(other);
  EXPECT_TRUE(state.is_empty());
  EXPECT_EQ(state.mass, 5.0);
  EXPECT_EQ(state.energy(1.0), kInfinity);
  state.add(0.0, 1.0);
  EXPECT_DOUBLE_EQ(state.log_support(), -std::log(6.0));
}

RC_GTEST_PROP(LogSumExp, the_empty_state_is_neutral, (double logit)) {
  RC_PRE(std::isfinite(logit));
  LogSumExp state;
  state.add(logit, 0.5);
  LogSumExp left;
  left.merge(state);
  LogSumExp right = state;
  right.merge(LogSumExp{});
  for (const LogSumExp& merged : {left, right}) {
    RC_ASSERT(merged.max == state.max);
    RC_ASSERT(merged.sum == state.sum);
    RC_ASSERT(merged.mass == state.mass);
  }
}

RC_GTEST_PROP(LogSumExp, order_and_grouping_change_rounding_only, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 200);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const double spread = *rc::gen::element(0.1, 10.0, 1000.0);
  const auto logits = oracle::normal_matrix<double>(1, n, seed, spread);
  const auto cut = *rc::gen::inRange<std::size_t>(0, n);
  LogSumExp forward;
  LogSumExp backward;
  LogSumExp first;
  LogSumExp second;
  long double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    forward.add(logits(0, i), 1.0);
    backward.add(logits(0, n - 1 - i), 1.0);
    (i < cut ? first : second).add(logits(0, i), 1.0);
    sum += std::exp(static_cast<long double>(logits(0, i)));
  }
  LogSumExp merged = first;
  merged.merge(second);
  second.merge(first);
  const auto expected = static_cast<double>(std::log(sum / n));
  const double bound = 1e-15 * (static_cast<double>(n) + std::abs(expected));
  for (const LogSumExp& state : {forward, backward, merged, second}) {
    RC_ASSERT(std::abs(state.log_support() - expected) <= bound);
    RC_ASSERT(state.sum >= 1.0 && state.sum <= static_cast<double>(n));
  }
}

}  // namespace log_sum_exp_test
}  // namespace sbog
