// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/npz.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "data/zip_writer.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"
#include "sbog/data/detail/npy_format.h"

namespace sbog {
namespace npz_test {

using testing_support::bytes_of;
using testing_support::message_of;
using testing_support::TemporaryFolder;
using testing_support::text_of;
using testing_support::write_text;
using testing_support::zip_file;

std::string npy_of(const std::vector<double>& values) {
  const std::vector<std::size_t> shape = {values.size()};
  return detail::npy_header(ElementType::kFloat64, shape) +
         text_of(std::as_bytes(std::span(values)));
}

TEST(Npz, members_are_listed_and_read_stored_or_deflated) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f.npz");
  write_text(path, zip_file({{"a.npy", npy_of({1, 2})},
                             {"notes.txt", "hello"},
                             {"b.npy", npy_of({3}), true}}));
  EXPECT_EQ(npz_members(path), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(to_vector(read_npz(path, "a")), (std::vector<double>{1, 2}));
  EXPECT_EQ(to_vector(read_npz(path, "b")), std::vector<double>{3});
  EXPECT_EQ(to_vector(read_npz(path, "b.npy")), std::vector<double>{3});
  EXPECT_EQ(read_npz(path, "a").name(), path + ":a");
}

TEST(Npz, a_stored_member_is_viewed_in_the_mapped_file) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f.npz");
  write_text(path, zip_file({{"a.npy", npy_of({1, 2})},
                             {"b.npy", npy_of({1, 2}), true}}));
  EXPECT_TRUE(read_npz(path, "a").is_mapped());
  EXPECT_FALSE(read_npz(path, "b").is_mapped());
}

TEST(Npz, a_missing_member_is_named_with_those_that_are_there) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f.npz");
  write_text(path, zip_file({{"a.npy", npy_of({1})}, {"b.npy", npy_of({2})}}));
  EXPECT_EQ(message_of<IoError>([&] { read_npz(path, "c"); }),
            path + ": has no member 'c'; it has 'a', 'b'");
}

TEST(Npz, decompression_stops_at_the_limit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f.npz");
  write_text(path, zip_file({{"a.npy", npy_of({1, 2, 3}), true}}));
  EXPECT_NO_THROW(read_npz(path, "a", 152));
  EXPECT_EQ(message_of<IoError>([&] { read_npz(path, "a", 151); }),
            path + ":a: decompresses to 152 bytes; the limit is 151");
}

TEST(Npz, the_limit_of_a_parse_holds_for_all_members_together) {
  const std::string file = zip_file(
      {{"a.npy", npy_of({1, 2, 3}), true}, {"b.npy", npy_of({1, 2, 3}), true}});
  EXPECT_EQ(parse_npz(bytes_of(file), "f", 304).size(), 2u);
  EXPECT_THROW(parse_npz(bytes_of(file), "f", 303), IoError);
}

TEST(Npz, a_member_larger_than_its_npy_header_is_refused_unread) {
  const std::string file =
      zip_file({{"a.npy", npy_of({1}) + std::string(1000000, '\0'), true}});
  EXPECT_EQ(message_of<IoError>([&] { parse_npz(bytes_of(file), "f"); }),
            "f:a: the npy header claims 136 bytes and the zip directory "
            "1000136");
}

// True when the file is refused or, as for a bit that deflate does not use,
// still holds the same values.
bool is_refused_or_same(const std::string& file,
                        const std::vector<double>& values) {
  try {
    return to_vector(parse_npz(bytes_of(file), "f").at(0).array) == values;
  } catch (const IoError&) {
    return true;
  }
}

TEST(Npz, no_flipped_bit_of_the_data_goes_unnoticed) {
  const std::vector<double> values = {1.5, 2.5, 3.5};
  for (const bool is_deflated : {false, true}) {
    const std::string file = zip_file({{"a.npy", npy_of(values), is_deflated}});
    const std::size_t end = file.find("PK\x01\x02");
    for (std::size_t bit = 35 * 8; bit < end * 8; ++bit) {  // behind the name
      std::string damaged = file;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      EXPECT_TRUE(is_refused_or_same(damaged, values)) << bit;
    }
  }
}

TEST(Npz, a_flipped_bit_of_a_stored_member_is_a_checksum_error) {
  std::string file = zip_file({{"a.npy", npy_of({1.5})}});
  const std::size_t last = file.find("PK\x01\x02") - 1;
  file[last] = static_cast<char>(file[last] ^ 1);
  EXPECT_EQ(message_of<IoError>([&] { parse_npz(bytes_of(file), "f"); }),
            "f:a: the checksum does not match; the file is damaged");
}

RC_GTEST_PROP(Npz, arrays_come_back_by_name,
              (const std::vector<std::vector<double>>& arrays,
               bool is_deflated)) {
  std::vector<testing_support::ZipContent> members;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    members.push_back(
        {std::to_string(i) + ".npy", npy_of(arrays[i]), is_deflated});
  }
  const std::string file = zip_file(members);
  const auto read = parse_npz(bytes_of(file), "f");
  RC_ASSERT(read.size() == arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    RC_ASSERT(read[i].name == std::to_string(i));
    RC_ASSERT(to_vector(read[i].array) == arrays[i]);
  }
}

}  // namespace npz_test
}  // namespace sbog
