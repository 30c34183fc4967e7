// SPDX-License-Identifier: Apache-2.0
#include "sbog/base/checksum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace sbog {
namespace checksum_test {

std::uint64_t checksum_of(std::string_view text) {
  return checksum(std::as_bytes(std::span(text.data(), text.size())));
}

TEST(Checksum, the_empty_text_has_the_published_value) {
  EXPECT_EQ(checksum_hex(checksum_of("")), "2d06800538d394c2");
  EXPECT_EQ(Checksum().digest(), checksum_of(""));
}

RC_GTEST_PROP(Checksum, how_the_bytes_are_cut_does_not_matter,
              (const std::string& start)) {
  // Beyond 240 bytes XXH3 takes another road; reach it often.
  const auto repeats = *rc::gen::inRange(1, 40);
  std::string text;
  for (int i = 0; i < repeats; ++i) text += start + char('a' + i % 26);
  Checksum running;
  for (std::size_t at = 0; at < text.size();) {
    const auto step = *rc::gen::inRange<std::size_t>(1, 300);
    const std::string_view piece = std::string_view(text).substr(at, step);
    running.update(piece.data(), piece.size());
    at += piece.size();
    running.update(nullptr, 0);
  }
  RC_ASSERT(running.digest() == checksum_of(text));
}

RC_GTEST_PROP(Checksum, one_flipped_bit_changes_the_value,
              (std::vector<std::uint8_t> bytes)) {
  RC_PRE(!bytes.empty());
  const auto before = checksum(std::as_bytes(std::span(bytes)));
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[at] ^= static_cast<std::uint8_t>(1 << *rc::gen::inRange(0, 8));
  RC_ASSERT(checksum(std::as_bytes(std::span(bytes))) != before);
}

TEST(Checksum, digest_does_not_end_the_running_checksum) {
  Checksum running;
  running.update("ab", 2);
  EXPECT_EQ(running.digest(), checksum_of("ab"));
  running.update("c", 1);
  EXPECT_EQ(running.digest(), checksum_of("abc"));
}

TEST(ChecksumHex, is_sixteen_lower_case_digits_with_leading_zeros) {
  EXPECT_EQ(checksum_hex(0), "0000000000000000");
  EXPECT_EQ(checksum_hex(0x0123456789abcdefu), "0123456789abcdef");
  EXPECT_EQ(checksum_hex(~std::uint64_t{0}), "ffffffffffffffff");
}

}  // namespace checksum_test
}  // namespace sbog
