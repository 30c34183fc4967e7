// SPDX-License-Identifier: Apache-2.0
// The candidates run, and the first of them is Algorithm 1.
#include <gtest/gtest.h>

#include "paper/small_run.h"

namespace sbog::paper {
namespace profiles_test {

TEST(Profiles, the_first_candidate_is_algorithm_1_of_the_oracle_table) {
  const auto candidates = testing_support::small_cells("profiles", "base-");
  const auto oracle = testing_support::small_cells("oracle", "base-");
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].result["algorithm-1"],
            oracle[0].result["SBOG, Algorithm 1"]);
  EXPECT_TRUE(candidates[0].configuration["generators"]["algorithm-1"].empty());
}

}  // namespace profiles_test
}  // namespace sbog::paper
