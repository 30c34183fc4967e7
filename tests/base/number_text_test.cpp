// SPDX-License-Identifier: Apache-2.0
// Numbers as people and files want them.
#include "sbog/base/number_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <numbers>

namespace sbog {
namespace number_text_test {

TEST(NumberText, durations_are_read_easily) {
  EXPECT_EQ(duration(3.4), "3 s");
  EXPECT_EQ(duration(59.6), "1 min 0 s");
  EXPECT_EQ(duration(125.0), "2 min 5 s");
  EXPECT_EQ(duration(3840.0), "1 h 4 min");
}

TEST(NumberText, large_numbers_have_commas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
}

TEST(NumberText, files_get_few_digits_or_all_of_them) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-2.0), "-2");
  EXPECT_EQ(shortest(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(full_digits(0.1), "0.10000000000000001");
  EXPECT_EQ(full_digits(-2.0), "-2");
}

TEST(NumberText, what_a_file_gets_reads_back_as_the_same_number) {
  for (const double value :
       {std::numbers::pi, 1.0 / 3.0, 5e-324, -1.7976931348623157e308, 0.0}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(full_digits(value).c_str(), nullptr), value);
  }
}

}  // namespace number_text_test
}  // namespace sbog
