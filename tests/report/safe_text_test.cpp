// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/safe_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sbog {
namespace safe_text_test {

TEST(SafeText, markup_becomes_references) {
  EXPECT_EQ(html_text("</script><b a=\"x\" b='y'>&amp;"),
            "&lt;/script&gt;&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(html_text(""), "");
}

TEST(SafeText, characters_that_turn_text_around_are_written_out) {
  EXPECT_EQ(html_text("a\u202Eb\u2067c\u2028d\x07"),
            "a[U+202E]b[U+2067]c[U+2028]d[U+0007]");
  EXPECT_EQ(html_text("line\nline", false), "line\nline");
  EXPECT_EQ(html_text("שלום ärger 日本 🙂"),
            "שלום ärger 日本 🙂");
}

TEST(SafeText, bytes_that_are_not_utf8_become_a_replacement) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(html_text("a\xFFz"), "a" + mark + "z");
  EXPECT_EQ(html_text("\xC0\xBC"), mark + mark);             // overlong <
  EXPECT_EQ(html_text("\xED\xA0\x80"), mark + mark + mark);  // surrogate
  EXPECT_EQ(html_text("\xE2\x80"), mark + mark);             // cut off
  EXPECT_EQ(html_text("\xF4\x90\x80\x80"), mark + mark + mark + mark);
  EXPECT_EQ(html_text(std::string("a\0b", 3), false), "ab");
}

RC_GTEST_PROP(SafeText, html_has_no_markup_for_any_bytes, (std::string text)) {
  const std::string html = html_text(text);
  RC_ASSERT(html.find_first_of("<>\"'") == std::string::npos);
  for (const char c : html) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
}

TEST(SafeText, json_keeps_its_meaning_and_cannot_end_the_element) {
  const nlohmann::json json = {
      {"</script>", "<!-- & \u2028 \u2029 \u202A \xE2\x80"}};
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string safe = script_json(text);
  EXPECT_EQ(safe.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(safe.find("\u2028"), std::string::npos);
  EXPECT_EQ(safe.find("\u2029"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(safe), nlohmann::json::parse(text));
}

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

}  // namespace safe_text_test
}  // namespace sbog
