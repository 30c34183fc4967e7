// SPDX-License-Identifier: Apache-2.0
#include "sbog/job/files.h"

#include <gtest/gtest.h>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::job {
namespace files_test {

TEST(Files, outputs_are_checked_before_the_work) {
  const testing_support::TemporaryFolder folder;
  EXPECT_NO_THROW(check_writable(""));
  EXPECT_NO_THROW(check_writable(folder.file("new.npy")));
  EXPECT_THROW(check_writable(folder.path().string()), IoError);
  EXPECT_THROW(check_writable(folder.file("none/new.npy")), IoError);
}

TEST(Files, words_are_quoted_for_a_shell_only_when_needed) {
  EXPECT_EQ(shell_word("run-1/bank.npy"), "run-1/bank.npy");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
}

}  // namespace files_test
}  // namespace sbog::job
