// SPDX-License-Identifier: Apache-2.0
#include "sbog/base/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace folder_lock_test {

using testing::HasSubstr;
using testing_support::TemporaryFolder;

std::string refusal(const std::string& folder) {
  try {
    const FolderLock lock(folder);
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST(FolderLock, a_second_one_is_refused_until_the_first_is_gone) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  {
    const FolderLock lock(path);
    EXPECT_THAT(refusal(path), HasSubstr("in use by another process"));
  }
  EXPECT_EQ(refusal(path), "");
  EXPECT_TRUE(folder.is_empty());
}

TEST(FolderLock, a_killed_process_gives_it_back) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(path);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT(refusal(path), HasSubstr("in use"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(refusal(path), "");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FolderLock, links_files_and_missing_folders_are_refused) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("real"));
  std::filesystem::create_directory_symlink(folder.file("real"),
                                            folder.file("link"));
  EXPECT_THAT(refusal(folder.file("link")), HasSubstr("symbolic link"));
  EXPECT_THAT(refusal(folder.file("link/")), HasSubstr("symbolic link"));
  EXPECT_THAT(refusal(folder.file("none")), HasSubstr("cannot be opened"));
  EXPECT_EQ(refusal(folder.file("real")), "");
  // A folder on the way may be a link: that is how people arrange their disks.
  std::filesystem::create_directory(folder.file("real/inner"));
  EXPECT_EQ(refusal(folder.file("link/inner")), "");
}

}  // namespace folder_lock_test
}  // namespace sbog
