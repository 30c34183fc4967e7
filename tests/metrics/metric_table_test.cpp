// SPDX-License-Identifier: Apache-2.0
// The list of metrics: complete entries, values and reasons.
#include "sbog/metrics/metric_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "metrics/support.h"

namespace sbog::testing_support {
namespace metric_table_test {

TEST(MetricTable, every_entry_has_a_name_of_its_own_and_one_line_of_meaning) {
  const MetricTable table;
  std::set<std::string> names;
  for (const MetricEntry& entry : table.entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.meaning.empty()) << entry.name;
    EXPECT_EQ(entry.meaning.find('\n'), std::string::npos) << entry.name;
    EXPECT_FALSE(entry.value.has_value());
    EXPECT_EQ(entry.reason, "not computed");
  }
  EXPECT_EQ(names.size(), 29u);
}

TEST(MetricTable, a_value_takes_the_place_of_the_reason_and_back) {
  MetricTable table;
  table.set("SW2", 0.5);
  EXPECT_EQ(table.find("SW2").value, 0.5);
  EXPECT_EQ(table.find("SW2").reason, "");
  table.miss("SW2", "because");
  EXPECT_EQ(table.find("SW2").value, std::nullopt);
  EXPECT_EQ(table.find("SW2").reason, "because");
  table.set("SW2", std::optional<double>(2.0), "unused");
  EXPECT_EQ(table.find("SW2").value, 2.0);
  table.set("SW2", std::nullopt, "used");
  EXPECT_EQ(table.find("SW2").reason, "used");
}

TEST(MetricTable, a_value_that_is_not_finite_becomes_a_reason) {
  MetricTable table;
  for (const double value :
       {std::nan(""), std::numeric_limits<double>::infinity()}) {
    table.set("Gap", value);
    EXPECT_EQ(table.find("Gap").value, std::nullopt);
    EXPECT_EQ(table.find("Gap").reason, "the value is not finite");
  }
}

TEST(MetricTable, an_entry_can_be_renamed) {
  MetricTable table;
  table.rename("FlipRate", "FlipRate@64");
  EXPECT_EQ(table.find("FlipRate@64").direction, MetricDirection::kLower);
  EXPECT_THAT(invalid_argument_of([&] { table.find("FlipRate"); }),
              ::testing::HasSubstr("'FlipRate' is not one of them"));
}

TEST(MetricTable, directions_have_words) {
  EXPECT_STREQ(to_string(MetricDirection::kHigher), "higher is better");
  EXPECT_STREQ(to_string(MetricDirection::kLower), "lower is better");
  EXPECT_STREQ(to_string(MetricDirection::kNeutral), "neutral");
}

}  // namespace metric_table_test
}  // namespace sbog::testing_support
