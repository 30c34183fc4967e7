// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/zip_archive.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "data/zip_writer.h"
#include "sbog/base/errors.h"

namespace sbog::detail {
namespace zip_archive_test {

using testing_support::append_value;
using testing_support::bytes_of;
using testing_support::message_of;
using testing_support::text_of;
using testing_support::zip_file;
using testing_support::ZipContent;

std::string refusal(const std::string& file) {
  return message_of<IoError>([&] {
    const ZipArchive archive(bytes_of(file), "f.zip");
    for (const auto& member : archive.members()) {
      if (member.method == 0) {
        archive.stored_data(member, "f.zip");
      } else {
        archive.open(member, "f.zip");
      }
    }
  });
}

// What a member holds, read as a stream.
std::string streamed(const ZipArchive& archive, const ZipMember& member) {
  const auto source = archive.open(member, "f");
  return text_of(read_exactly(*source, member.size, member.size).bytes);
}

// The file with `value` behind the last occurrence of a signature.
std::string patched(std::string file, const char* signature, std::size_t offset,
                    const std::string& value) {
  return file.replace(file.rfind(signature) + offset, value.size(), value);
}

const std::string kZip = zip_file({{"a.npy", "alpha"}, {"b", "beta"}});

TEST(ZipArchive, members_and_their_data_are_found) {
  const ZipArchive archive(bytes_of(kZip), "f.zip");
  const auto& members = archive.members();
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].name, "a.npy");
  EXPECT_EQ(members[1].size, 4u);
  EXPECT_EQ(text_of(archive.stored_data(members[0], "f")), "alpha");
  EXPECT_EQ(text_of(archive.stored_data(members[1], "f")), "beta");
  EXPECT_EQ(archive.stored_data(members[1], "f").data(),
            bytes_of(kZip).data() + kZip.find("beta"));
}

TEST(ZipArchive, a_comment_may_hold_the_signature_of_the_end) {
  const std::string comment = "PK\x05\x06 and more";
  std::string file = kZip.substr(0, kZip.size() - 2);
  append_value(file, static_cast<std::uint16_t>(comment.size()),
               std::endian::little);
  file += comment;
  EXPECT_EQ(ZipArchive(bytes_of(file), "f").members().size(), 2u);
}

TEST(ZipArchive, sixty_four_bit_fields_come_from_the_extra_field) {
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
  const ZipArchive archive(bytes_of(file), "f");
  EXPECT_EQ(archive.members().at(0).size, 5u);
  EXPECT_EQ(text_of(archive.stored_data(archive.members()[0], "f")), "alpha");
}

TEST(ZipArchive, damage_is_named) {
  EXPECT_EQ(refusal("nothing of the kind"),
            "f.zip: is not a zip file: it has no end record");
  const std::string directory =
      "f.zip: the zip directory is damaged or not where the file says";
  EXPECT_EQ(refusal("x" + kZip), directory);
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 0, "XX")), directory);
  EXPECT_EQ(refusal(patched(kZip, "PK\x05\x06", 10, {1, 0})), directory);
  EXPECT_EQ(refusal(patched(kZip, "PK\x05\x06", 10, {3, 0})), directory);
  EXPECT_EQ(refusal(patched(kZip, "PK\x05\x06", 4, {3, 0})),
            "f.zip: is a zip file of several parts; one is expected");
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 8, {1, 0})),
            "f.zip: the member 'b' is encrypted");
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 10, {12, 0})),
            "f.zip: the member 'b' is compressed by method 12; stored and "
            "deflated are accepted");
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 24, {9, 0})),
            "f.zip: the stored member 'b' has two different sizes");
  EXPECT_EQ(refusal(patched(kZip, "PK\x03\x04", 30, "c")),
            "f.zip: the header of a member, or the end of the file, disagrees "
            "with the zip directory");
  EXPECT_EQ(refusal(kZip + "x"), refusal(patched(kZip, "PK\x03\x04", 30, "c")));
  EXPECT_EQ(refusal(patched(kZip, "PK\x01\x02", 45, {0x10})),
            "f.zip: the member 'b' is not where the zip directory says");
  EXPECT_EQ(refusal(zip_file({{"a", "x"}, {"a", "y"}})),
            "f.zip: the member 'a' is in the zip file twice");
}

// Directory and header agree here, so that only the reader can object.
TEST(ZipArchive, faults_that_are_told_consistently_are_named) {
  const auto both = [](std::size_t offset, const std::string& value) {
    const auto file = patched(kZip, "PK\x01\x02", offset + 2, value);
    return patched(file, "PK\x03\x04", offset, value);
  };
  EXPECT_EQ(refusal(both(8, {12, 0})),
            "f.zip: the member 'b' is compressed by method 12; stored and "
            "deflated are accepted");
  EXPECT_EQ(refusal(both(22, {9, 0})),
            "f.zip: the stored member 'b' has two different sizes");
  EXPECT_EQ(refusal(both(14, {9, 9})),
            "f.zip: the checksum does not match; the file is damaged");
}

TEST(ZipArchive, a_stream_ends_where_the_directory_says) {
  const std::string file = zip_file({{"a", std::string(1000, 'x'), true}});
  const ZipArchive archive(bytes_of(file), "f");
  const auto refusal_of = [&](std::size_t expected) {
    return message_of<IoError>([&] {
      read_exactly(*archive.open(archive.members()[0], "f"), expected, 2000);
    });
  };
  EXPECT_EQ(refusal_of(1000), "nothing was thrown");
  EXPECT_EQ(refusal_of(999),
            "f: the compressed data hold more than the header says");
  EXPECT_EQ(refusal_of(1001),
            "f: the compressed data hold less than the header says");
}

TEST(ZipArchive, at_most_65536_members_are_accepted) {
  std::vector<ZipContent> contents(65537);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    contents[i].name = std::to_string(i);
  }
  const std::string file = zip_file(contents);
  EXPECT_EQ(message_of<IoError>([&] { ZipArchive(bytes_of(file), "f"); }),
            "f: the zip file claims 65537 members; at most 65,536 are "
            "accepted");
}

TEST(ZipArchive, every_truncation_is_refused) {
  for (std::size_t n = 0; n < kZip.size(); ++n) {
    EXPECT_NE(refusal(kZip.substr(0, n)), "nothing was thrown") << n;
  }
}

RC_GTEST_PROP(ZipArchive, what_was_stored_is_found,
              (const std::vector<std::string>& data, bool is_deflated)) {
  std::vector<ZipContent> contents;
  for (std::size_t i = 0; i < data.size(); ++i) {
    contents.push_back({std::to_string(i), data[i], is_deflated});
  }
  const std::string file = zip_file(contents);
  const ZipArchive archive(bytes_of(file), "f");
  RC_ASSERT(archive.members().size() == data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const ZipMember& member = archive.members()[i];
    RC_ASSERT(streamed(archive, member) == data[i]);
    if (is_deflated) continue;
    RC_ASSERT(text_of(archive.stored_data(member, "f")) == data[i]);
  }
}

}  // namespace zip_archive_test
}  // namespace sbog::detail
