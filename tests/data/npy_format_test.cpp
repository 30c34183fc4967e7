// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/npy_format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace npy_format_test {

using testing_support::bytes_of;
using testing_support::message_of;
using Shape = std::vector<std::size_t>;

std::size_t offset_of(const std::string& preamble) {
  return npy_data_offset(bytes_of(preamble), "f.npy");
}

std::string refusal(const std::string& preamble) {
  return message_of<IoError>([&] { offset_of(preamble); });
}

std::string preamble(int major, int minor, const std::string& length) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += static_cast<char>(minor);
  return out + length;
}

TEST(NpyFormat, the_data_begin_behind_the_header) {
  EXPECT_EQ(offset_of(preamble(1, 0, std::string("\x76\0xx", 4))), 10u + 0x76);
  EXPECT_EQ(offset_of(preamble(2, 0, std::string("\x00\x01\0\0", 4))),
            12u + 256);
  EXPECT_EQ(offset_of(preamble(3, 0, std::string("\0\0\x10\0", 4))),
            12u + (1u << 20));
}

TEST(NpyFormat, other_files_and_versions_are_refused) {
  EXPECT_EQ(refusal(""),
            "f.npy: is not an npy file: the magic bytes are missing");
  EXPECT_EQ(refusal("PK"),
            "f.npy: is not an npy file: the magic bytes are missing");
  EXPECT_EQ(refusal(preamble(4, 0, std::string(4, '\0'))),
            "f.npy: npy version 4.0 is not supported; 1.0, 2.0 and 3.0 are");
  EXPECT_EQ(refusal(preamble(2, 0, std::string("\1\0\x10\0", 4))),
            "f.npy: the npy header claims 1048577 bytes; at most 1 MiB is "
            "accepted");
  EXPECT_EQ(refusal(preamble(2, 0, "\x10")),
            "f.npy: the file ends inside the npy header length");
}

TEST(NpyFormat, a_written_header_reads_back_and_aligns_the_data) {
  for (const Shape& shape :
       {Shape{}, Shape{5}, Shape{123456789, 3}, Shape{1, 2, 3, 4, 5, 6}}) {
    const std::string header = npy_header(ElementType::kInt16, shape);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
    const auto layout = parse_npy_header(bytes_of(header), "f");
    EXPECT_EQ(layout.type, ElementType::kInt16);
    EXPECT_EQ(layout.shape, shape);
    EXPECT_EQ(layout.offset, header.size());
    EXPECT_FALSE(layout.swaps_bytes);
    EXPECT_FALSE(layout.is_column_major);
  }
}

TEST(NpyFormat, a_type_without_npy_name_cannot_be_written) {
  EXPECT_THROW(npy_header(ElementType::kBFloat16, Shape{1}), InvalidArgument);
}

TEST(NpyFormat, unsupported_types_are_named_with_what_is_accepted) {
  for (const char* descr : {"|O", "<U5", "|S3", "<c8", "<f16", "<M8", "|V4",
                            "f4", "=f4", "|f4", "<b2", "<x4", ""}) {
    std::string dict = "{'descr':'";
    dict += descr;
    dict += "','fortran_order':False,'shape':()}";
    const std::string file =
        preamble(1, 0, {static_cast<char>(dict.size()), '\0'}) + dict;
    const std::string message =
        message_of<IoError>([&] { parse_npy_header(bytes_of(file), "f.npy"); });
    EXPECT_EQ(message.find("f.npy: the npy element type " + quote(descr) +
                           " is not supported; f2, f4, f8, i1 to i8"),
              0u)
        << message;
  }
}

}  // namespace npy_format_test
}  // namespace sbog::detail
