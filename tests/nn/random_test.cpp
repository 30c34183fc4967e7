// SPDX-License-Identifier: Apache-2.0
#include "sbog/nn/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "sbog/base/philox.h"

namespace sbog::nn {
namespace random_test {

TEST(Random, bits_are_the_philox_blocks_of_the_documented_counter) {
  const std::uint64_t index = 0x1200000034ULL;
  Draws draws(0x100000002ULL, Purpose::kShuffle, index);
  const PhiloxBlock first =
      philox4x32({0x34, 0xFFFF0000U, 0x120000, 0x54000002}, {2, 1});
  const PhiloxBlock second =
      philox4x32({0x34, 0xFFFF0000U, 0x120001, 0x54000002}, {2, 1});
  EXPECT_EQ(draws.bits(), first.low64());
  EXPECT_EQ(draws.bits(), first.high64());
  EXPECT_EQ(draws.bits(), second.low64());
}

TEST(Random, long_streams_do_not_run_into_the_next_index) {
  Draws draws(1, Purpose::kPositive, 0);
  for (int i = 0; i < 2 * 65536; ++i) draws.bits();
  Draws next(1, Purpose::kPositive, std::uint64_t{1} << 32);
  EXPECT_NE(draws.bits(), next.bits());
}

TEST(Random, below_reaches_every_value_and_none_beyond) {
  Draws draws(3, Purpose::kQuery, 0);
  std::vector<int> counts(7);
  for (int i = 0; i < 7000; ++i) ++counts.at(draws.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Random, normals_have_mean_zero_and_variance_one) {
  Draws draws(3, Purpose::kQuery, 1);
  const int count = 20000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; ++i) {
    const double value = draws.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / count, 0.0, 4.0 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1.0, 4.0 * std::sqrt(2.0 / count));
}

TEST(Random, an_order_is_a_permutation_of_its_seed_and_epoch) {
  const auto order = shuffled_order(100, 4, 2);
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 100u);
  EXPECT_EQ(order, shuffled_order(100, 4, 2));
  EXPECT_NE(order, shuffled_order(100, 4, 3));
  EXPECT_NE(order, shuffled_order(100, 5, 2));
  EXPECT_TRUE(shuffled_order(0, 4, 2).empty());
}

TEST(Random, names_have_their_own_streams) {
  EXPECT_NE(stream_of_name("a.weight"), stream_of_name("b.weight"));
  EXPECT_EQ(stream_of_name("a.weight"), stream_of_name("a.weight"));
  EXPECT_LT(stream_of_name("a.weight"), std::uint64_t{1} << 48);
}

}  // namespace random_test
}  // namespace sbog::nn
