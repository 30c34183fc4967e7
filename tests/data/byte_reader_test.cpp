// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/byte_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "data/support.h"

namespace sbog::detail {
namespace byte_reader_test {

using testing_support::bytes_of;
using testing_support::message_of;

const std::string kBytes = "\x01\x02\x03\x04\x05\x06\x07\x08";

TEST(ByteReader, integers_are_read_in_the_asked_order) {
  ByteReader little(bytes_of(kBytes), "f");
  EXPECT_EQ(little.little<std::uint16_t>("x"), 0x0201);
  EXPECT_EQ(little.little<std::uint8_t>("x"), 0x03);
  EXPECT_EQ(little.little<std::uint32_t>("x"), 0x07060504u);
  EXPECT_EQ(little.position(), 7u);
  EXPECT_EQ(little.remaining(), 1u);
  ByteReader big(bytes_of(kBytes), "f");
  EXPECT_EQ(big.big<std::uint64_t>("x"), 0x0102030405060708u);
}

TEST(ByteReader, reading_past_the_end_says_what_is_cut) {
  ByteReader reader(bytes_of(kBytes), "file.idx");
  reader.take(6, "start");
  EXPECT_EQ(message_of<IoError>([&] { reader.big<std::uint32_t>("extents"); }),
            "file.idx: the file ends inside the extents");
  EXPECT_EQ(reader.take(2, "rest").size(), 2u);
  EXPECT_THROW(reader.take(~std::size_t{0}, "all"), IoError);
}

TEST(ReverseBytes, is_its_own_inverse) {
  EXPECT_EQ(reverse_bytes<std::uint8_t>(0xAB), 0xAB);
  EXPECT_EQ(reverse_bytes<std::uint16_t>(0x1234), 0x3412);
  EXPECT_EQ(reverse_bytes<std::uint64_t>(0x0102030405060708u),
            0x0807060504030201u);
}

}  // namespace byte_reader_test
}  // namespace sbog::detail
