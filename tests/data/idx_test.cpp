// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/idx.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/deflate.h"
#include "data/support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace idx_test {

using testing_support::append_value;
using testing_support::bytes_of;
using testing_support::gzipped;
using testing_support::message_of;
using testing_support::TemporaryFolder;
using testing_support::write_text;

// The slow writer, value by value.
template <typename T>
std::string slow_idx(int code, const std::vector<std::uint32_t>& shape,
                     const std::vector<T>& values) {
  std::string out = {'\0', '\0', static_cast<char>(code),
                     static_cast<char>(shape.size())};
  for (const auto extent : shape) append_value(out, extent, std::endian::big);
  for (const T value : values) append_value(out, value, std::endian::big);
  return out;
}

template <typename T>
void expect_read(int code, ElementType type) {
  const std::vector<T> values = {0, 1, 2, 3, 4, 100};
  const std::string plain = slow_idx<T>(code, {2, 3}, values);
  for (const std::string& file : {plain, gzipped(plain)}) {
    const Array array = parse_idx(bytes_of(file), "f");
    EXPECT_EQ(array.type(), type);
    EXPECT_EQ(array.shape(), (std::vector<std::size_t>{2, 3}));
    const auto matrix = to_matrix<double>(array);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(matrix.view()(i / 3, i % 3), static_cast<double>(values[i]));
    }
  }
}

TEST(Idx, every_type_is_read_plain_and_gzipped) {
  expect_read<std::uint8_t>(0x08, ElementType::kUInt8);
  expect_read<std::int8_t>(0x09, ElementType::kInt8);
  expect_read<std::int16_t>(0x0B, ElementType::kInt16);
  expect_read<std::int32_t>(0x0C, ElementType::kInt32);
  expect_read<float>(0x0D, ElementType::kFloat32);
  expect_read<double>(0x0E, ElementType::kFloat64);
}

TEST(Idx, bytes_of_a_plain_file_are_mapped) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t10k-labels-idx1-ubyte");
  write_text(path, slow_idx<std::uint8_t>(8, {3}, {7, 2, 1}));
  const Array array = read_idx(path);
  EXPECT_TRUE(array.is_mapped());
  EXPECT_EQ(to_labels(array), (std::vector<std::int64_t>{7, 2, 1}));
}

TEST(Idx, ranks_from_1_to_8_are_accepted) {
  for (std::size_t rank = 0; rank <= 9; ++rank) {
    const std::vector<std::uint32_t> shape(rank, 1);
    const std::string file = slow_idx<std::uint8_t>(8, shape, {5});
    if (rank >= 1 && rank <= 8) {
      EXPECT_EQ(parse_idx(bytes_of(file), "f").shape().size(), rank);
    } else {
      EXPECT_EQ(message_of<IoError>([&] { parse_idx(bytes_of(file), "f"); }),
                "f: the idx rank is " + std::to_string(rank) +
                    "; 1 to 8 is expected");
    }
  }
}

TEST(Idx, refusals_name_the_fault) {
  const auto refusal = [](const std::string& file) {
    return message_of<IoError>([&] { parse_idx(bytes_of(file), "f.idx"); });
  };
  EXPECT_EQ(refusal(std::string("\0\1\x08\x01", 4)),
            "f.idx: is not an idx file: it does not begin with two zeros");
  EXPECT_EQ(refusal(slow_idx<std::uint8_t>(10, {1}, {1})),
            "f.idx: the idx element type 10 is unknown; 8, 9, 11, 12, 13 and "
            "14 are accepted");
  EXPECT_EQ(refusal(slow_idx<std::uint8_t>(8, {2, 3}, {1})),
            "f.idx: the shape (2, 3) of uint8 takes 6 bytes, but 1 bytes "
            "follow the header");
}

TEST(Idx, decompression_stops_at_the_limit_and_at_the_claim) {
  const std::string plain = slow_idx<std::uint8_t>(8, {4}, {1, 2, 3, 4});
  const std::string packed = gzipped(plain);
  EXPECT_NO_THROW(parse_idx(bytes_of(packed), "f", 12));
  EXPECT_EQ(message_of<IoError>([&] { parse_idx(bytes_of(packed), "f", 11); }),
            "f: decompresses to 12 bytes; the limit is 11");
  const std::string more = gzipped(plain + "x");
  EXPECT_EQ(message_of<IoError>([&] { parse_idx(bytes_of(more), "f"); }),
            "f: the compressed data hold more than the header says");
}

TEST(Idx, every_truncation_is_refused) {
  const std::string plain = slow_idx<float>(13, {2, 2}, {1, 2, 3, 4});
  for (const std::string& file : {plain, gzipped(plain)}) {
    for (std::size_t n = 0; n < file.size(); ++n) {
      EXPECT_THROW(parse_idx(bytes_of(file.substr(0, n)), "f"), IoError) << n;
    }
  }
}

RC_GTEST_PROP(Idx, values_come_back,
              (const std::vector<std::int32_t>& values)) {
  const auto count = static_cast<std::uint32_t>(values.size());
  const std::string file = slow_idx(0x0C, {count}, values);
  const auto labels = to_labels(parse_idx(bytes_of(file), "f"));
  RC_ASSERT(
      std::equal(labels.begin(), labels.end(), values.begin(), values.end()));
}

}  // namespace idx_test
}  // namespace sbog
