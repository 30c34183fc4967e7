// SPDX-License-Identifier: Apache-2.0
#include "sbog/base/byte_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sbog {
namespace byte_text_test {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

TEST(Utf8Length, characters_of_one_to_four_bytes_are_known) {
  EXPECT_EQ(utf8_length("a"), 1u);
  EXPECT_EQ(utf8_length("\xC2\xB0"), 2u);          // degree sign
  EXPECT_EQ(utf8_length("\xE2\x82\xAC"), 3u);      // euro sign
  EXPECT_EQ(utf8_length("\xF0\x9F\x98\x80"), 4u);  // a face
  EXPECT_EQ(utf8_length("\xF4\x8F\xBF\xBF"), 4u);  // the last one
}

TEST(Utf8Length, what_is_no_character_has_none) {
  for (const std::string_view bytes :
       {"", "\x80", "\xB0", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2z",
        "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(utf8_length(bytes), 0u) << testing::PrintToString(bytes);
  }
}

TEST(StoredText, good_text_stays_as_it_is) {
  for (const char* text : {"", "plain", "T \xC2\xB0\x43", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(stored_text(text), text);
    EXPECT_EQ(stored_bytes(text), text);
    EXPECT_EQ(shown_text(text), text);
  }
}

TEST(StoredText, a_lone_byte_has_its_own_character) {
  EXPECT_EQ(stored_text("T \xB0\x43"), "T \xEF\x9E\xB0\x43");  // U+F7B0
  EXPECT_EQ(shown_text("T \xB0\x43"), "T \xEF\xBF\xBD\x43");
}

TEST(ShownText, what_would_leave_its_line_is_replaced) {
  EXPECT_EQ(shown_text("a\nb\x1b[31mc\x7f"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD[31mc\xEF\xBF\xBD");
  EXPECT_EQ(shown_text("\xC2\x9B"
                       "1m\xC2\xA0"),
            "\xEF\xBF\xBD"
            "1m\xC2\xA0");
  EXPECT_EQ(shown_text("abcdef", 3), "abc...");
  EXPECT_EQ(shown_text("abc", 3), "abc");
  EXPECT_EQ(shown_text("ab\xC3\xA9", 3), "ab\xEF\xBF\xBD...");
}

RC_GTEST_PROP(StoredText, all_bytes_come_back, (const std::string& bytes)) {
  const std::string text = stored_text(bytes);
  RC_ASSERT(is_utf8(text));
  RC_ASSERT(stored_bytes(text) == bytes);
  RC_ASSERT(is_utf8(shown_text(bytes)));
}

TEST(StoredText, characters_that_stand_for_bytes_come_back_too) {
  for (const char* text :
       {"\xEF\x9E\xB0", "\xEF\x9E\x80\xEF\x9F\xBF", "a\xEF\x9E\xB0\xB0"}) {
    EXPECT_EQ(stored_bytes(stored_text(text)), text);
    EXPECT_NE(stored_text(text), text);
  }
}

}  // namespace byte_text_test
}  // namespace sbog
