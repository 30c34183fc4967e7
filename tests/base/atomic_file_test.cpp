// SPDX-License-Identifier: Apache-2.0
#include "sbog/base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace atomic_file_test {

using testing_support::read_bytes;
using testing_support::TemporaryFolder;

/// Lets no file grow beyond a size, as a full disk would, while in scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    rlimit limit = old_limit_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int) = nullptr;
};

/// Gives up the rights of the superuser, if held, while in scope.
class OrdinaryUser {
 public:
  OrdinaryUser() : was_root_(::geteuid() == 0) {
    if (was_root_ && ::seteuid(65534) != 0) {
      throw std::runtime_error("cannot become an ordinary user");
    }
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

/// Names in a folder, in order.
std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

TEST(AtomicFile, the_final_name_appears_at_commit_and_the_temporary_goes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  AtomicFile file(path);
  file.write("one ");
  file.write("two", 3);
  ASSERT_EQ(names_in(folder).size(), 1u);
  EXPECT_TRUE(is_temporary_name(names_in(folder)[0]));
  file.commit();
  EXPECT_EQ(read_bytes(path), "one two");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"a.txt"});
  EXPECT_EQ(file.path(), path);
}

TEST(AtomicFile, small_and_large_pieces_arrive_in_order) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.bin");
  std::string expected;
  AtomicFile file(path);
  for (const std::size_t size : {1u, 70000u, 0u, 65535u, 3u, 65536u, 200000u}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  EXPECT_EQ(read_bytes(path), expected);
}

TEST(AtomicFile, without_commit_neither_name_is_left) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder.file("a.txt"));
    file.write("half");
  }
  EXPECT_TRUE(folder.is_empty());
}

TEST(AtomicFile, an_exception_midway_leaves_neither_name) {
  const TemporaryFolder folder;
  const auto write_and_fail = [&] {
    AtomicFile file(folder.file("a.txt"));
    file.write(std::string(100000, 'x'));
    throw std::runtime_error("the producer failed");
  };
  EXPECT_THROW(write_and_fail(), std::runtime_error);
  EXPECT_TRUE(folder.is_empty());
}

TEST(AtomicFile, a_full_disk_midway_gives_io_error_and_leaves_neither_name) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  {
    const FileSizeLimit limit(1000);
    try {
      write_file_atomically(path, std::string(100000, 'x'));
      ADD_FAILURE() << "the write beyond the limit succeeded";
    } catch (const IoError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": "));
    }
    // Small content waits in the buffer and must fail at commit instead.
    AtomicFile file(path);
    file.write(std::string(2000, 'x'));
    EXPECT_THROW(file.commit(), IoError);
  }
  EXPECT_TRUE(folder.is_empty());
}

TEST(AtomicFile, a_failed_write_leaves_the_old_content) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  write_file_atomically(path, "old");
  {
    const FileSizeLimit limit(10);
    EXPECT_THROW(write_file_atomically(path, "much too long"), IoError);
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"a.txt"});
}

TEST(AtomicFile, a_commit_replaces_the_old_content) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  write_file_atomically(path, "a long old content");
  write_file_atomically(path, "new");
  EXPECT_EQ(read_bytes(path), "new");
}

TEST(AtomicFile, no_two_temporaries_have_one_name) {
  const TemporaryFolder folder;
  const AtomicFile first(folder.file("a.txt"));
  const AtomicFile second(folder.file("a.txt"));
  EXPECT_EQ(names_in(folder).size(), 2u);
}

TEST(AtomicFile, a_file_or_link_beside_it_is_left_alone) {
  const TemporaryFolder folder;
  const std::string victim = folder.file("victim");
  write_file_atomically(victim, "dear");
  std::filesystem::create_symlink(victim, folder.file("a.txt.tmp"));
  std::ofstream(folder.file("b.txt.tmp")) << "of the user";
  write_file_atomically(folder.file("a.txt"), "new");
  write_file_atomically(folder.file("b.txt"), "new");
  EXPECT_EQ(read_bytes(victim), "dear");
  EXPECT_EQ(read_bytes(folder.file("b.txt.tmp")), "of the user");
}

TEST(AtomicFile, a_link_under_the_final_name_is_replaced_and_not_followed) {
  const TemporaryFolder folder;
  const std::string victim = folder.file("victim");
  write_file_atomically(victim, "dear");
  std::filesystem::create_symlink(victim, folder.file("a.txt"));
  write_file_atomically(folder.file("a.txt"), "new");
  EXPECT_EQ(read_bytes(victim), "dear");
  EXPECT_FALSE(std::filesystem::is_symlink(folder.file("a.txt")));
  EXPECT_EQ(read_bytes(folder.file("a.txt")), "new");
}

TEST(AtomicFile, a_pipe_under_the_final_name_is_not_replaced) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_THROW(write_file_atomically(folder.file("pipe"), "x"), IoError);
  EXPECT_TRUE(std::filesystem::is_fifo(folder.file("pipe")));
  EXPECT_EQ(names_in(folder).size(), 1u);
}

TEST(AtomicFile, the_longest_name_of_a_file_is_taken) {
  const TemporaryFolder folder;
  const std::string path = folder.file(std::string(255, 'n'));
  write_file_atomically(path, "x");
  EXPECT_EQ(read_bytes(path), "x");
}

TEST(AtomicFile, what_a_killed_process_left_is_known_and_removed) {
  const TemporaryFolder folder;
  for (const char* name :
       {".sbog-0123456789abcdef.tmp", ".sbog-ffffffffffffffff.tmp", "a.tmp",
        ".sbog-0123456789abcde.tmp", ".sbog-0123456789abcdeg.tmp",
        "sbog-0123456789abcdef.tmp"}) {
    std::ofstream(folder.file(name)) << "left";
  }
  remove_temporaries(folder.path().string());
  EXPECT_EQ(names_in(folder),
            (std::vector<std::string>{".sbog-0123456789abcde.tmp",
                                      ".sbog-0123456789abcdeg.tmp", "a.tmp",
                                      "sbog-0123456789abcdef.tmp"}));
  remove_temporaries(folder.file("none"));
}

TEST(AtomicFile, a_missing_folder_gives_io_error_with_the_path) {
  const TemporaryFolder folder;
  const std::string path = folder.file("missing/a.txt");
  try {
    const AtomicFile file(path);
    ADD_FAILURE() << "a file was opened in a folder that is not there";
  } catch (const IoError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path + ": "));
  }
}

TEST(AtomicFile, an_unwritable_folder_gives_io_error) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(),
                               std::filesystem::perms::owner_read |
                                   std::filesystem::perms::owner_exec |
                                   std::filesystem::perms::others_read |
                                   std::filesystem::perms::others_exec);
  {
    const OrdinaryUser ordinary;
    EXPECT_THROW(write_file_atomically(folder.file("a.txt"), "x"), IoError);
  }
  std::filesystem::permissions(folder.path(),
                               std::filesystem::perms::owner_all);
  EXPECT_TRUE(folder.is_empty());
}

TEST(AtomicFile, a_folder_in_the_place_of_the_file_is_left_alone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("taken");
  std::filesystem::create_directory(path);
  EXPECT_THROW(write_file_atomically(path, "x"), IoError);
  EXPECT_TRUE(std::filesystem::is_directory(path));
  EXPECT_EQ(names_in(folder).size(), 1u);
}

TEST(AtomicFile, writing_or_committing_after_commit_is_the_callers_mistake) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("a.txt"));
  file.commit();
  EXPECT_THROW(file.write("late"), InvalidArgument);
  EXPECT_THROW(file.commit(), InvalidArgument);
  EXPECT_EQ(read_bytes(file.path()), "");
}

TEST(ReadFile, the_content_comes_back_byte_by_byte) {
  const TemporaryFolder folder;
  const std::string bytes("one\0two\r\n", 9);
  write_file_atomically(folder.file("a"), bytes);
  EXPECT_EQ(read_file(folder.file("a")), bytes);
  EXPECT_EQ(read_file_if_there(folder.file("a")), bytes);
}

TEST(ReadFile, a_missing_file_is_nothing_or_an_error) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_file_if_there(folder.file("none")), std::nullopt);
  EXPECT_THROW(read_file(folder.file("none")), IoError);
  EXPECT_EQ(read_file_if_there(folder.path().string()), std::nullopt);
  EXPECT_THROW(read_file(folder.path().string()), IoError);
}

}  // namespace atomic_file_test
}  // namespace sbog
