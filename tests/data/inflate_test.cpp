// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/inflate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "data/deflate.h"
#include "data/support.h"
#include "sbog/base/errors.h"

namespace sbog::detail {
namespace inflate_test {

using testing_support::bytes_of;
using testing_support::gzipped;
using testing_support::message_of;
using testing_support::text_of;

std::string inflated(const std::string& packed, std::size_t expected,
                     std::uint64_t limit = kDefaultMaxInflatedBytes) {
  GzipSource source(bytes_of(packed), "f");
  return text_of(read_exactly(source, expected, limit).bytes);
}

std::string refusal(const std::string& packed, std::size_t expected,
                    std::uint64_t limit = ~std::uint64_t{0}) {
  return message_of<IoError>([&] { inflated(packed, expected, limit); });
}

RC_GTEST_PROP(Inflate, what_was_deflated_comes_back,
              (const std::string& text)) {
  RC_ASSERT(inflated(gzipped(text), text.size()) == text);
}

TEST(Inflate, output_longer_than_one_chunk_comes_back) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919);
  EXPECT_EQ(inflated(gzipped(text), text.size()), text);
}

TEST(Inflate, a_claim_beyond_the_limit_is_refused) {
  const std::string packed = gzipped("hello");
  EXPECT_EQ(inflated(packed, 5, 5), "hello");
  EXPECT_EQ(refusal(packed, 5, 4),
            "f: decompresses to 5 bytes; the limit is 4");
}

TEST(Inflate, reading_in_pieces_gives_the_same) {
  const std::string text = "a longer text, a longer text, a longer text";
  const std::string packed = gzipped(text);
  GzipSource source(bytes_of(packed), "f");
  std::string out;
  for (std::size_t step = 1;; ++step) {
    std::vector<std::byte> piece(step);
    const std::size_t count = source.read(piece);
    out += text_of(std::span(piece).first(count));
    if (count < step) break;
  }
  EXPECT_EQ(out, text);
  EXPECT_NO_THROW(source.expect_end());
}

TEST(Inflate, a_wrong_claim_is_refused) {
  const std::string packed = gzipped("hello");
  EXPECT_EQ(refusal(packed, 4),
            "f: the compressed data hold more than the header says");
  EXPECT_EQ(refusal(packed, 6),
            "f: the compressed data hold less than the header says");
  EXPECT_EQ(refusal(packed, 0),
            "f: the compressed data hold more than the header says");
}

TEST(Inflate, a_huge_claim_allocates_no_more_than_what_comes_out) {
  // Were the claim believed, this would be an attempt at an exabyte.
  const std::string packed = gzipped("hello");
  EXPECT_EQ(refusal(packed, std::size_t{1} << 60),
            "f: the compressed data hold less than the header says");
}

TEST(Inflate, every_truncation_is_refused) {
  const std::string text = "some text to be cut";
  const std::string packed = gzipped(text);
  for (std::size_t n = 0; n < packed.size(); ++n) {
    EXPECT_EQ(refusal(packed.substr(0, n), text.size()),
              "f: the compressed data end too early")
        << n;
  }
}

TEST(Inflate, damage_and_trailing_bytes_are_refused) {
  std::string packed = gzipped("some text");
  EXPECT_EQ(refusal(packed + "x", 9),
            "f: bytes follow the end of the compressed data");
  packed[packed.size() - 8] ^= 1;  // checksum
  EXPECT_NE(refusal(packed, 9).find("damaged"), std::string::npos);
  EXPECT_NE(refusal("not gzip at all", 9).find("damaged"), std::string::npos);
}

// Bit by bit from the polynomial.
std::uint32_t slow_crc(const std::string& text) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
    }
  }
  return ~crc;
}

RC_GTEST_PROP(Inflate, the_checksum_is_crc_32, (const std::string& text)) {
  RC_ASSERT(crc32(bytes_of(text)) == slow_crc(text));
}

}  // namespace inflate_test
}  // namespace sbog::detail
