// SPDX-License-Identifier: Apache-2.0
#include "sbog/job/files.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/npy.h"

namespace sbog::job {
namespace files_test {

TEST(Files, outputs_are_checked_before_the_work) {
  const testing_support::TemporaryFolder folder;
  EXPECT_NO_THROW(check_writable(""));
  EXPECT_NO_THROW(check_writable(folder.file("new.npy")));
  EXPECT_THROW(check_writable(folder.path().string()), IoError);
  EXPECT_THROW(check_writable(folder.file("none/new.npy")), IoError);
}

TEST(Files, a_column_is_a_table_or_an_array_by_its_name) {
  const testing_support::TemporaryFolder folder;
  const std::vector<double> values{0.5, -2.0};
  write_column(folder.file("e.csv"), "energy", values);
  EXPECT_EQ(testing_support::read_bytes(folder.file("e.csv")),
            "energy\n0.5\n-2\n");
  write_column(folder.file("e.npy"), "energy", values);
  EXPECT_EQ(to_vector(read_npy(folder.file("e.npy"))), values);
}

TEST(Files, an_ending_that_nobody_writes_is_refused) {
  constexpr std::string_view kEndings[] = {".svg"};
  EXPECT_NO_THROW(check_ending("", "--plot", kEndings));
  EXPECT_NO_THROW(check_ending("a.svg", "--plot", kEndings));
  try {
    check_ending("a.png", "--plot", kEndings);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "--plot: a name that ends with .svg is expected, got 'a.png'");
  }
}

TEST(Files, words_are_quoted_for_a_shell_only_when_needed) {
  EXPECT_EQ(shell_word("run-1/bank.npy"), "run-1/bank.npy");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
}

}  // namespace files_test
}  // namespace sbog::job
