// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/zip_directory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "data/zip_writer.h"
#include "sbog/base/errors.h"

namespace sbog::detail {
namespace zip_directory_test {

using testing_support::append_value;
using testing_support::bytes_of;
using testing_support::message_of;
using testing_support::text_of;
using testing_support::zip_file;
using testing_support::ZipContent;

std::string refusal(const std::string& file) {
  return message_of<IoError>([&] {
    for (const auto& member : read_zip_directory(bytes_of(file), "f.zip")) {
      zip_member_data(bytes_of(file), member, "f.zip");
    }
  });
}

// The file with `value` behind the last occurrence of a signature.
std::string patched(std::string file, const char* signature, std::size_t offset,
                    const std::string& value) {
  return file.replace(file.rfind(signature) + offset, value.size(), value);
}

const std::string kZip = zip_file({{"a.npy", "alpha"}, {"b", "beta"}});

TEST(ZipDirectory, members_and_their_data_are_found) {
  const auto members = read_zip_directory(bytes_of(kZip), "f.zip");
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].name, "a.npy");
  EXPECT_EQ(members[1].size, 4u);
  EXPECT_EQ(text_of(zip_member_data(bytes_of(kZip), members[0], "f")), "alpha");
  EXPECT_EQ(text_of(zip_member_data(bytes_of(kZip), members[1], "f")), "beta");
}

TEST(ZipDirectory, a_comment_may_hold_the_signature_of_the_end) {
  const std::string comment = "PK\x05\x06 and more";
  std::string file = kZip.substr(0, kZip.size() - 2);
  append_value(file, static_cast<std::uint16_t>(comment.size()),
               std::endian::little);
  file += comment;
  EXPECT_EQ(read_zip_directory(bytes_of(file), "f").size(), 2u);
}

TEST(ZipDirectory, sixty_four_bit_fields_come_from_the_extra_field) {
  // One stored member whose central record has both sizes saturated.
  const std::string plain = zip_file({{"a", "alpha"}});
  std::string extra;
  append_value(extra, std::uint16_t{0x9999}, std::endian::little);
  append_value(extra, std::uint16_t{1}, std::endian::little);
  extra += 'x';
  append_value(extra, std::uint16_t{1}, std::endian::little);
  append_value(extra, std::uint16_t{16}, std::endian::little);
  append_value(extra, std::uint64_t{5}, std::endian::little);
  append_value(extra, std::uint64_t{5}, std::endian::little);
  std::string file = patched(plain, "PK\x01\x02", 20, std::string(8, '\xFF'));
  file = patched(file, "PK\x01\x02", 30, {static_cast<char>(extra.size()), 0});
  file.insert(file.rfind("PK\x05\x06"), extra);
  const auto size = static_cast<char>(47 + extra.size());
  file = patched(file, "PK\x05\x06", 12, {size, 0, 0, 0});
  const auto members = read_zip_directory(bytes_of(file), "f");
  EXPECT_EQ(members.at(0).size, 5u);
  EXPECT_EQ(text_of(zip_member_data(bytes_of(file), members[0], "f")), "alpha");
}

TEST(ZipDirectory, damage_is_named) {
  EXPECT_EQ(refusal("nothing of the kind"),
            "f.zip: is not a zip file: it has no end record");
  EXPECT_EQ(refusal("x" + kZip),
            "f.zip: the zip directory is not where the file says");
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 0, "XX")),
            "f.zip: the zip directory is damaged");
  EXPECT_EQ(refusal(patched(kZip, "PK\x05\x06", 10, {1, 0})),
            "f.zip: the zip directory is longer than its members");
  EXPECT_EQ(refusal(patched(kZip, "PK\x05\x06", 10, {3, 0})),
            "f.zip: the file ends inside the zip directory");
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 8, {1, 0})),
            "f.zip: the member 'b' is encrypted");
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 10, {12, 0})),
            "f.zip: the member 'b' is compressed by method 12; stored and "
            "deflated are accepted");
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 24, {9, 0})),
            "f.zip: the stored member 'b' has two different sizes");
  EXPECT_EQ(refusal(patched(kZip, "PK\x03\x04", 30, "c")),
            "f.zip: the header of the member 'b' disagrees with the zip "
            "directory");
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 45, {0x10})),
            "f.zip: the member 'b' begins outside the file");
  EXPECT_EQ(refusal(zip_file({{"a", "x"}, {"a", "y"}})),
            "f.zip: the member 'a' is in the zip file twice");
}

TEST(ZipDirectory, every_truncation_is_refused) {
  for (std::size_t n = 0; n < kZip.size(); ++n) {
    EXPECT_NE(refusal(kZip.substr(0, n)), "nothing was thrown") << n;
  }
}

RC_GTEST_PROP(ZipDirectory, what_was_stored_is_found,
              (const std::vector<std::string>& data)) {
  std::vector<ZipContent> contents;
  for (std::size_t i = 0; i < data.size(); ++i) {
    contents.push_back({std::to_string(i), data[i]});
  }
  const std::string file = zip_file(contents);
  const auto members = read_zip_directory(bytes_of(file), "f");
  RC_ASSERT(members.size() == data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    RC_ASSERT(text_of(zip_member_data(bytes_of(file), members[i], "f")) ==
              data[i]);
  }
}

}  // namespace zip_directory_test
}  // namespace sbog::detail
