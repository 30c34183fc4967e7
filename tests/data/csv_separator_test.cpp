// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/csv_separator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sbog::detail {
namespace csv_separator_test {

TEST(CsvSeparator, is_what_splits_the_records_evenly) {
  EXPECT_EQ(find_separator("a,b\n1,2\n"), ',');
  EXPECT_EQ(find_separator("a;b\n1;2\n"), ';');
  EXPECT_EQ(find_separator("a\tb\n1\t2\n"), '\t');
  EXPECT_EQ(find_separator("a;b\n1,5;2\n3;4\n"), ';');
  EXPECT_EQ(find_separator("\xEF\xBB\xBF"
                           "a;b\r\n1;2\r\n"),
            ';');
}

TEST(CsvSeparator, more_numbers_decide_between_two_that_do) {
  EXPECT_EQ(find_separator("1,5;2,5\n3,5;4,5\n"), ';');
  EXPECT_EQ(find_separator("a;b,c\nx;y,1\nz;w,2\n"), ',');
  EXPECT_EQ(find_separator("1,2;3\n4,5;6\n"), ';');
}

TEST(CsvSeparator, quoted_ones_do_not_count) {
  EXPECT_EQ(find_separator("\"a;b\",c\n\"x;y\",1\n"), ',');
  EXPECT_EQ(find_separator("\"a,b\";c\n\"x,y\";1\n"), ';');
}

TEST(CsvSeparator, where_nothing_splits_it_is_the_comma) {
  for (const std::string text : {"", "\n\n", "1\n2\n", "1;2\n3\n", "\"a"}) {
    EXPECT_EQ(find_separator(text), ',') << text;
  }
}

TEST(CsvSeparator, decimal_commas_are_known_and_rewritten) {
  for (const std::string field : {"1,5", " -0,25 ", "+3,0e-2"}) {
    EXPECT_TRUE(has_decimal_comma(field)) << field;
  }
  for (const std::string field : {"1.5", "1,000,000", "1.234,5", ",", "a,b"}) {
    EXPECT_FALSE(has_decimal_comma(field)) << field;
  }
  std::vector<std::string> fields{"1,5", "a,b", "2"};
  write_decimal_points(fields);
  EXPECT_EQ(fields, (std::vector<std::string>{"1.5", "a,b", "2"}));
}

TEST(CsvSeparator, names_are_words) {
  EXPECT_EQ(separator_name(','), "a comma");
  EXPECT_EQ(separator_name(';'), "a semicolon");
  EXPECT_EQ(separator_name('\t'), "a tab");
  EXPECT_EQ(separator_name('|'), "'|'");
}

}  // namespace csv_separator_test
}  // namespace sbog::detail
