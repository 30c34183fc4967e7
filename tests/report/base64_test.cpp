// SPDX-License-Identifier: Apache-2.0
// Base64 against the vectors of RFC 4648 and a slow reading back.
#include "sbog/report/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string_view>
#include <vector>

namespace sbog {
namespace base64_test {

std::string of_text(std::string_view text) {
  return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
}

TEST(Base64, the_vectors_of_its_standard) {
  EXPECT_EQ(of_text(""), "");
  EXPECT_EQ(of_text("f"), "Zg==");
  EXPECT_EQ(of_text("fo"), "Zm8=");
  EXPECT_EQ(of_text("foo"), "Zm9v");
  EXPECT_EQ(of_text("foob"), "Zm9vYg==");
  EXPECT_EQ(of_text("fooba"), "Zm9vYmE=");
  EXPECT_EQ(of_text("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::vector<std::uint8_t>{0xfb, 0xff, 0xbf}), "+/+/");
}

// Bit by bit.
std::vector<std::uint8_t> read_back(const std::string& text) {
  const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<bool> bits;
  for (const char c : text) {
    if (c == '=') continue;
    for (int b = 5; b >= 0; --b) bits.push_back(digits.find(c) >> b & 1U);
  }
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 8 <= bits.size(); i += 8) {
    unsigned byte = 0;
    for (std::size_t b = 0; b < 8; ++b)
      byte = byte << 1 | (bits[i + b] ? 1 : 0);
    bytes.push_back(static_cast<std::uint8_t>(byte));
  }
  return bytes;
}

RC_GTEST_PROP(Base64, reads_back_to_the_same_bytes,
              (const std::vector<std::uint8_t>& bytes)) {
  const std::string text = base64(bytes);
  RC_ASSERT(text.size() == (bytes.size() + 2) / 3 * 4);
  RC_ASSERT(read_back(text) == bytes);
}

}  // namespace base64_test
}  // namespace sbog
