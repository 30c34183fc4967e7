// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#include "sbog/certify/detail/words.h"

#include <gtest/gtest.h>

#include "certify/support.h"

namespace sbog::detail {
namespace words_test {

using testing_support::kInfinity;

TEST(Words, counts_have_separators) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(123456), "123,456");
  EXPECT_EQ(grouped(1234567.4), "1,234,567");
  EXPECT_EQ(grouped(1.2e15), "1.2e+15");
  EXPECT_EQ(grouped(kInfinity), "infinitely many");
}

TEST(Words, estimates_are_rounded_up_to_two_digits) {
  EXPECT_EQ(about(5384), "5,400");
  EXPECT_EQ(about(5400), "5,400");
  EXPECT_EQ(about(5401), "5,500");
  EXPECT_EQ(about(99.2), "100");
  EXPECT_EQ(about(12.3), "13");
  EXPECT_EQ(about(999), "1,000");
  EXPECT_EQ(about(1234567), "1,300,000");
  EXPECT_EQ(about(kInfinity), "infinitely many");
}

TEST(Words, energies_have_three_digits) {
  EXPECT_EQ(rounded(0.050612), "0.0506");
  EXPECT_EQ(rounded(12.0), "12");
  EXPECT_EQ(rounded_exp(std::log(0.25)), "0.25");
  EXPECT_EQ(rounded_exp(-2302.585092994046), "1.0e-1000");
  EXPECT_EQ(rounded_exp(-2302.7), "8.9e-1001");
  EXPECT_EQ(rounded_exp(-2302.5), "1.1e-1000");
  EXPECT_EQ(rounded_exp(-kInfinity), "0");
}

TEST(Words, only_nothing_is_none_and_only_everything_is_all) {
  EXPECT_EQ(percent(0.0), "none");
  EXPECT_EQ(percent(1e-9), "less than 1 %");
  EXPECT_EQ(percent(0.54), "54 %");
  EXPECT_EQ(percent(0.99), "99 %");
  EXPECT_EQ(percent(0.9999), "more than 99 %");
  EXPECT_EQ(percent(1.0), "all");
}

TEST(Words, levels_are_exact) {
  EXPECT_EQ(level(0.95), "95 %");
  EXPECT_EQ(level(1.0 - 0.95), "5 %");
  EXPECT_EQ(level(0.999), "99.9 %");
  EXPECT_EQ(level(1.0 - 0.001), "99.9 %");
}

}  // namespace words_test
}  // namespace sbog::detail
