// SPDX-License-Identifier: Apache-2.0
// Version and commit have the promised form.
#include "sbog/base/build_info.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace sbog {
namespace build_info_test {

TEST(BuildInfo, names_a_version_and_a_commit) {
  EXPECT_TRUE(
      std::regex_match(build_version(), std::regex(R"(\d+\.\d+\.\d+)")));
  EXPECT_TRUE(std::regex_match(build_commit(),
                               std::regex("unknown|[0-9a-f]{12}(-dirty)?")))
      << build_commit();
}

}  // namespace build_info_test
}  // namespace sbog
