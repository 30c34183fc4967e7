// SPDX-License-Identifier: Apache-2.0
// What the progress line of the tool says, at times that are made up.
#include "sbog/base/progress_text.h"

#include <gtest/gtest.h>

namespace sbog {
namespace progress_text_test {

using Line = std::optional<std::string>;

TEST(ProgressText, two_seconds_are_silent) {
  ProgressText text("scoring", ProgressPlace::kTerminal);
  EXPECT_EQ(text.next(0, 100, 5.0), std::nullopt);
  EXPECT_EQ(text.next(30, 100, 6.9), std::nullopt);
  EXPECT_EQ(text.next(50, 100, 9.0), Line("scoring  50 %, 4 s left"));
}

TEST(ProgressText, before_there_is_a_rate_no_time_is_told) {
  ProgressText text("kde", ProgressPlace::kTerminal);
  EXPECT_EQ(text.next(0, 42, 0.0), std::nullopt);
  EXPECT_EQ(text.next(0, 42, 3.0), Line("kde   0 %"));
  EXPECT_EQ(text.next(0, 42, 3.1), std::nullopt);
  EXPECT_EQ(text.next(1, 42, 300.0), Line("kde   2 %, 3 h 25 min left"));
}

TEST(ProgressText, time_is_counted_down_between_steps) {
  ProgressText text("kde", ProgressPlace::kTerminal);
  text.next(0, 3, 0.0);
  EXPECT_EQ(text.next(1, 3, 60.0), Line("kde  33 %, 2 min 0 s left"));
  EXPECT_EQ(text.next(1, 3, 100.0), Line("kde  33 %, 1 min 20 s left"));
  EXPECT_EQ(text.next(1, 3, 999.0), Line("kde  33 %, 0 s left"));
}

TEST(ProgressText, a_job_without_parts_is_done) {
  ProgressText text("kde", ProgressPlace::kTerminal);
  text.next(0, 0, 0.0);
  EXPECT_EQ(text.next(0, 0, 3.0), Line("kde 100 %"));
}

TEST(ProgressText, what_a_resumed_job_had_done_is_no_rate) {
  ProgressText text("kde", ProgressPlace::kTerminal);
  EXPECT_EQ(text.next(80, 100, 0.0), std::nullopt);
  EXPECT_EQ(text.next(90, 100, 10.0), Line("kde  90 %, 10 s left"));
}

TEST(ProgressText, a_second_pass_begins_anew) {
  ProgressText text("solving", ProgressPlace::kTerminal);
  text.next(0, 10, 0.0);
  text.next(10, 10, 100.0);
  EXPECT_EQ(text.next(0, 10, 100.1), std::nullopt);
  EXPECT_EQ(text.next(5, 10, 110.1), Line("solving  50 %, 10 s left"));
}

TEST(ProgressText, a_log_is_told_what_is_new_and_not_too_often) {
  ProgressText text("kde", ProgressPlace::kLog);
  EXPECT_EQ(text.next(0, 10, 0.0), std::nullopt);
  EXPECT_EQ(text.next(0, 10, 9.0), std::nullopt);
  EXPECT_EQ(text.next(0, 10, 11.0), Line("kde   0 %"));
  EXPECT_EQ(text.next(0, 10, 30.0), std::nullopt);
  EXPECT_EQ(text.next(1, 10, 40.0), Line("kde  10 %, 6 min 0 s left"));
  EXPECT_EQ(text.next(2, 10, 49.0), std::nullopt);
  EXPECT_EQ(text.next(2, 10, 51.0), Line("kde  20 %, 3 min 14 s left"));
}

}  // namespace progress_text_test
}  // namespace sbog
