// SPDX-License-Identifier: Apache-2.0
#include "sbog/job/kind.h"

#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::job {
namespace kind_test {

TEST(Kind, names_translate_both_ways) {
  for (const Kind kind :
       {Kind::kAuto, Kind::kPoints, Kind::kSeries, Kind::kImages}) {
    EXPECT_EQ(parse_kind(to_string(kind)), kind);
  }
  EXPECT_EQ(parse_kind("points"), Kind::kPoints);
  EXPECT_EQ(parse_kind("images"), Kind::kImages);
  EXPECT_THROW(parse_kind("sound"), InvalidArgument);
  for (const std::string& name : kind_names()) {
    EXPECT_EQ(to_string(parse_kind(name)), name);
  }
}

TEST(Kind, an_option_is_for_its_kinds) {
  EXPECT_EQ(option_kinds(Kind::kPoints), kForPoints);
  EXPECT_EQ(option_kinds(Kind::kSeries), kForSeries);
  EXPECT_EQ(option_kinds(Kind::kImages), kForImages);
  EXPECT_EQ(option_kinds(Kind::kAuto), kForAll);
}

}  // namespace kind_test
}  // namespace sbog::job
