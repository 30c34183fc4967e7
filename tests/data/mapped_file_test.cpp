// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "data/support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog::detail {
namespace mapped_file_test {

using testing_support::message_of;
using testing_support::TemporaryFolder;
using testing_support::text_of;
using testing_support::write_text;

TEST(MappedFile, the_bytes_are_those_of_the_file) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f");
  write_text(path, std::string("a\0b", 3));
  const FileBytes file = map_file(path);
  EXPECT_EQ(text_of(file.bytes), std::string("a\0b", 3));
  EXPECT_EQ(file.name, path);
  EXPECT_TRUE(file.is_mapped);
}

TEST(MappedFile, an_empty_file_is_no_bytes) {
  const TemporaryFolder folder;
  write_text(folder.file("f"), "");
  EXPECT_TRUE(map_file(folder.file("f")).bytes.empty());
}

TEST(MappedFile, shared_bytes_outlive_the_file_object_and_the_name) {
  const TemporaryFolder folder;
  write_text(folder.file("f"), "0123456789");
  std::shared_ptr<const std::byte> part;
  {
    const FileBytes file = map_file(folder.file("f"));
    part = file.share(3, 4);
    EXPECT_EQ(part.get(), file.bytes.data() + 3);
  }
  std::filesystem::remove(folder.file("f"));
  EXPECT_EQ(text_of({part.get(), 4}), "3456");
}

TEST(MappedFile, borrowed_bytes_are_copied) {
  std::string text = "0123456789";
  const FileBytes file{"f", testing_support::bytes_of(text), nullptr};
  const auto part = file.share(3, 4);
  text.assign(10, 'x');
  EXPECT_EQ(text_of({part.get(), 4}), "3456");
}

TEST(MappedFile, allocated_bytes_are_aligned) {
  for (const std::size_t count : {0, 1, 100}) {
    const auto bytes = allocate_bytes(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.get()) % 64, 0u);
  }
}

TEST(MappedFile, what_is_not_a_regular_file_is_refused_without_waiting) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::string& path) {
    return message_of<IoError>([&] { map_file(path); });
  };
  const std::string missing = folder.file("missing");
  EXPECT_EQ(refusal(missing),
            missing + ": cannot be opened: No such file or directory");
  const std::string directory = folder.path().string();
  EXPECT_EQ(refusal(directory),
            directory + ": is a directory; a regular file is expected");
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal(pipe), pipe + ": is not a regular file");
}

}  // namespace mapped_file_test
}  // namespace sbog::detail
