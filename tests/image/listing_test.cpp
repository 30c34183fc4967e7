// SPDX-License-Identifier: Apache-2.0
#include "sbog/image/detail/listing.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "support.h"

namespace sbog::detail {
namespace listing_test {

using Names = std::vector<std::string>;

TEST(Listing, names_are_sorted_by_bytes_and_dots_left_out) {
  const testing_support::TemporaryFolder folder;
  for (const char* name : {"b", "a10", "a9", "Z", ".hidden"}) {
    testing_support::write_text(folder.file(name), "");
  }
  std::filesystem::create_directory(folder.path() / "y");
  std::filesystem::create_directory(folder.path() / "x");
  std::filesystem::create_symlink("b", folder.path() / "link");
  std::filesystem::create_symlink("nowhere", folder.path() / "lost");
  const Listing listing = list_folder(folder.path().string());
  EXPECT_EQ(listing.files, (Names{"Z", "a10", "a9", "b", "link"}));
  EXPECT_EQ(listing.folders, (Names{"x", "y"}));
}

TEST(Listing, a_folder_that_is_not_there_is_named) {
  EXPECT_TRUE(testing_support::message_of<IoError>([] {
                list_folder("/no/such/folder");
              }).starts_with("/no/such/folder: cannot be listed: "));
}

}  // namespace listing_test
}  // namespace sbog::detail
