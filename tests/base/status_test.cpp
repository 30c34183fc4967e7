// SPDX-License-Identifier: Apache-2.0
#include "sbog/base/status.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace sbog {
namespace status_test {

TEST(SolveStatus, every_status_has_its_own_words) {
  std::set<std::string> words;
  for (const SolveStatus status :
       {SolveStatus::kDone, SolveStatus::kCancelled, SolveStatus::kUnsupported,
        SolveStatus::kInfeasible, SolveStatus::kPartial,
        SolveStatus::kNotConverged}) {
    words.insert(to_string(status));
  }
  EXPECT_EQ(words.size(), 6u);
  EXPECT_EQ(words.count("unknown"), 0u);
}

TEST(SolveStatus, done_and_not_converged_read_as_words) {
  EXPECT_STREQ(to_string(SolveStatus::kDone), "done");
  EXPECT_STREQ(to_string(SolveStatus::kNotConverged), "not converged");
}

}  // namespace status_test
}  // namespace sbog
