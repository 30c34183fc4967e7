// SPDX-License-Identifier: Apache-2.0
// Measures of groups against counts by hand.
#include "sbog/stress/measures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sbog::stress {
namespace measures_test {

using ::testing::ElementsAre;

// Ten cases; the first `failures` fail. Scores 0 to 9.
Outcomes detector(std::size_t failures) {
  Outcomes o;
  o.threshold = static_cast<double>(failures) - 0.5;
  for (std::size_t i = 0; i < 10; ++i) {
    CaseOutcome c;
    c.value = static_cast<double>(i);
    c.is_failure = i < failures;
    if (!c.is_failure) c.delay = i;
    o.cases.push_back(c);
  }
  return o;
}

Cases graded() {
  Cases cases;
  cases.count = 10;
  for (std::size_t i = 0; i < 10; ++i) {
    cases.severities.emplace_back(i < 5 ? 1 : 2);
  }
  cases.groupings.push_back({"class", {"a", "b"}, {{0, 1, 5}, {6, 7}}});
  return cases;
}

TEST(StressMeasures, shares_have_their_exact_interval) {
  const Share share = make_share(0, 20);
  EXPECT_EQ(share.value, 0.0);
  // 1 - 0.025^(1/20), the rule of no success.
  EXPECT_NEAR(share.interval.high, 1.0 - std::pow(0.025, 1.0 / 20.0), 1e-12);
  EXPECT_EQ(make_share(0, 0).interval.high, 1.0);
}

TEST(StressMeasures, a_group_is_counted) {
  const std::vector<std::size_t> items = {0, 1, 2, 3, 6};
  const Measures m = measure(detector(3), items);
  EXPECT_EQ(m.failures.hits, 3u);
  EXPECT_EQ(m.failures.trials, 5u);
  EXPECT_NEAR(*m.mean, 12.0 / 5.0, 1e-15);
  EXPECT_NEAR(*m.quantile95, 3.0 + 0.8 * 3.0, 1e-12);
  EXPECT_NEAR(*m.median_delay, 4.5, 1e-15);
  EXPECT_FALSE(m.accepted.has_value());
  const Measures none = measure(detector(3), {});
  EXPECT_FALSE(none.mean.has_value());
  EXPECT_FALSE(none.median_delay.has_value());
}

TEST(StressMeasures, groups_come_whole_and_by_severity) {
  const auto groups = measure_groups(graded(), detector(3));
  ASSERT_EQ(groups.size(), 5u);
  EXPECT_EQ(groups[0].level, "a");
  EXPECT_FALSE(groups[0].severity.has_value());
  EXPECT_EQ(groups[1].severity, 1);
  EXPECT_THAT(groups[1].members, ElementsAre(0u, 1u));
  EXPECT_EQ(groups[2].severity, 2);
  EXPECT_EQ(groups[4].severity, 2);
  EXPECT_EQ(groups[0].measures.failures.hits, 2u);
}

TEST(StressMeasures, the_curve_says_from_where_on_it_is_good) {
  const auto curve = measure_severities(graded(), detector(3));
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0].measures.failures.hits, 3u);
  EXPECT_EQ(curve[1].measures.failures.hits, 0u);
  EXPECT_EQ(smallest_passed(curve, 0.9), 2);
  EXPECT_EQ(smallest_passed(curve, 0.4), 1);
  EXPECT_EQ(smallest_below(curve, 0.5), 2);
  const auto bad = measure_severities(graded(), detector(10));
  EXPECT_FALSE(smallest_passed(bad, 0.9).has_value());
  EXPECT_FALSE(smallest_below(bad, 0.5).has_value());
}

}  // namespace measures_test
}  // namespace sbog::stress
