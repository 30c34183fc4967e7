// SPDX-License-Identifier: Apache-2.0
#include "sbog/table/table_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"

namespace sbog::table {
namespace table_rules_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Fields = std::vector<std::string>;

std::vector<Column> columns() {
  return {learn_column("age", Fields{"18", "40", "65"}),
          learn_column("share", Fields{"0.1", "0.5"}),
          learn_column("job", Fields{"cook", "", "smith"})};
}

void expect_refused(const TableRules& rules, const std::string& words) {
  std::vector<Column> mine = columns();
  EXPECT_THAT([&] { apply_rules(rules, mine); },
              ThrowsMessage<InvalidArgument>(HasSubstr(words)));
}

TEST(TableRules, limits_are_numbers_that_the_column_may_have) {
  std::vector<Column> mine = columns();
  apply_rules({{}, {"age=0.5:", "share=0.3:0.79"}, {}}, mine);
  EXPECT_EQ(mine[0].low, 1.0);
  EXPECT_EQ(mine[0].high, 65.0);
  EXPECT_DOUBLE_EQ(mine[1].low, 0.3);
  EXPECT_DOUBLE_EQ(mine[1].high, 0.7);
}

TEST(TableRules, values_are_those_of_the_column) {
  std::vector<Column> mine = columns();
  const auto rules = apply_rules({{"share"}, {}, {"age=200", "job="}}, mine);
  EXPECT_EQ(rules[0].condition->number, 200.0);
  EXPECT_TRUE(rules[1].is_fixed);
  EXPECT_FALSE(rules[1].condition);
  EXPECT_TRUE(rules[2].condition->is_missing);
}

TEST(TableRules, what_makes_no_sense_is_refused_in_a_sentence) {
  expect_refused({{"size"}, {}, {}},
                 "--fixed: there is no column 'size'; the table has age, "
                 "share, job");
  expect_refused({{}, {"age"}, {}}, "COLUMN=VALUE is expected, got 'age'");
  expect_refused({{}, {"age=5"}, {}}, "COLUMN=LOW:HIGH is expected");
  expect_refused({{}, {"age=a:b"}, {}}, "with numbers is expected");
  expect_refused({{}, {"age=30.2:30.8"}, {}}, "no number it may have lies");
  expect_refused({{}, {"job=1:2"}, {}}, "'job' holds no numbers");
  expect_refused({{}, {}, {"job=pilot"}},
                 "--conditions: column 'job': the text 'pilot' does not occur");
  expect_refused({{"age"}, {}, {"age=40"}}, "is fixed as well");
}

}  // namespace table_rules_test
}  // namespace sbog::table
