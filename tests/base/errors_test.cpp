// SPDX-License-Identifier: Apache-2.0
// The exceptions and the assertion, which is switched on for this file.
#ifndef SBOG_ENABLE_ASSERT
#define SBOG_ENABLE_ASSERT 1
#endif
#include "sbog/base/errors.h"

#include <gtest/gtest.h>

namespace sbog {
namespace errors_test {

TEST(Errors, invalid_argument_is_a_standard_invalid_argument) {
  try {
    throw InvalidArgument("rows must be positive");
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "rows must be positive");
  }
}

TEST(Errors, io_error_message_begins_with_the_path) {
  const IoError error("a/b.npy", "the header is cut off at byte 12");
  EXPECT_STREQ(error.what(), "a/b.npy: the header is cut off at byte 12");
}

TEST(Errors, io_error_is_not_the_callers_mistake) {
  EXPECT_FALSE((std::is_base_of_v<std::logic_error, IoError>));
  EXPECT_TRUE((std::is_base_of_v<std::runtime_error, IoError>));
}

TEST(ErrorsDeathTest, a_false_assertion_names_itself_and_ends_the_process) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(SBOG_ASSERT(1 + 1 == 3), "assertion failed: 1 \\+ 1 == 3");
}

TEST(Errors, a_true_assertion_evaluates_its_condition_once) {
  int count = 0;
  SBOG_ASSERT(++count == 1);
  EXPECT_EQ(count, 1);
}

}  // namespace errors_test
}  // namespace sbog
