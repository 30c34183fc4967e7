// SPDX-License-Identifier: Apache-2.0
// Cases and their groups.
#include "sbog/stress/cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::stress {
namespace cases_test {

using ::testing::ElementsAre;

Cases three() {
  Cases cases;
  cases.count = 3;
  cases.severities = {2, std::nullopt, 1};
  return cases;
}

TEST(StressCases, a_case_is_in_every_group_that_names_it_once) {
  GroupingBuilder builder("channel");
  builder.add(0, "flow");
  builder.add(0, "load");
  builder.add(0, "flow");
  builder.add(2, "load");
  const Grouping grouping = std::move(builder).finish();
  EXPECT_EQ(grouping.name, "channel");
  EXPECT_THAT(grouping.levels, ElementsAre("flow", "load"));
  EXPECT_THAT(grouping.members,
              ElementsAre(ElementsAre(0u), ElementsAre(0u, 2u)));
}

TEST(StressCases, severities_are_those_that_are_known) {
  EXPECT_THAT(severities_of(three()), ElementsAre(1, 2));
  EXPECT_THAT(cases_at(three(), 2), ElementsAre(0u));
  EXPECT_THAT(cases_at(three(), 3), ElementsAre());
  EXPECT_THAT(cases_at(three(), std::nullopt), ElementsAre(0u, 1u, 2u));
  Cases without;
  without.count = 2;
  EXPECT_THAT(severities_of(without), ElementsAre());
  EXPECT_THAT(cases_at(without, 1), ElementsAre());
}

TEST(StressCases, lists_that_do_not_fit_are_refused) {
  Cases cases = three();
  check_cases(cases);
  cases.classes = {1};
  EXPECT_THROW(check_cases(cases), InvalidArgument);
  cases = three();
  cases.groupings.push_back({"class", {"0"}, {{3}}});
  EXPECT_THROW(check_cases(cases), InvalidArgument);
  cases.groupings = {{"class", {"0", "1"}, {{1}}}};
  EXPECT_THROW(check_cases(cases), InvalidArgument);
}

}  // namespace cases_test
}  // namespace sbog::stress
