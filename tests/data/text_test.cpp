// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sbog::detail {
namespace text_test {

// The encoding by its definition: the shortest form that has enough bits.
std::string encoded(std::uint32_t c) {
  const auto tail = [&](int shift) {
    return static_cast<char>(0x80 + (c >> shift) % 64);
  };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 + c / 64), tail(0)};
  if (c < 0x10000) {
    return {static_cast<char>(0xE0 + c / 4096), tail(6), tail(0)};
  }
  return {static_cast<char>(0xF0 + c / 262144), tail(12), tail(6), tail(0)};
}

TEST(Text, every_code_point_is_written_and_recognised) {
  for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
    const std::string expected = encoded(c);
    const bool is_surrogate = c >= 0xD800 && c <= 0xDFFF;
    ASSERT_EQ(is_utf8(expected), !is_surrogate) << c;
    std::string written;
    append_utf8(c, written);
    ASSERT_EQ(written, expected) << c;
    ASSERT_EQ(utf8_length(expected), is_surrogate ? 0 : expected.size()) << c;
  }
}

TEST(Text, malformed_utf8_is_recognised) {
  for (const char* text :
       {"\x80", "\xC3", "\xC3(", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\x80",
        "\xE2\x82", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80",
        "\xFF", "ok\xFE"}) {
    EXPECT_FALSE(is_utf8(text)) << quote(text);
  }
}

TEST(Text, quotes_are_one_readable_line) {
  EXPECT_EQ(quote("price"), "'price'");
  EXPECT_EQ(quote("gr\xC3\xB6\xC3\x9F"
                  "e"),
            "'gr\xC3\xB6\xC3\x9F"
            "e'");
  EXPECT_EQ(quote("a\nb\x7F"), "'a\\x0ab\\x7f'");
  EXPECT_EQ(quote("\xFF\xC2\x85"), "'\\xff\\xc2\\x85'");
  EXPECT_EQ(quote(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
  EXPECT_EQ(quote(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
}

RC_GTEST_PROP(Text, printable_text_is_short_utf8_without_line_ends,
              (const std::string& text)) {
  const std::string shown = printable(text);
  RC_ASSERT(is_utf8(shown));
  RC_ASSERT(shown.size() <= 70u);
  RC_ASSERT(std::none_of(shown.begin(), shown.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20;
  }));
}

TEST(Text, shapes_read_like_tuples) {
  using Shape = std::vector<std::size_t>;
  EXPECT_EQ(shape_text(Shape{}), "()");
  EXPECT_EQ(shape_text(Shape{3}), "(3,)");
  EXPECT_EQ(shape_text(Shape{3, 4}), "(3, 4)");
}

TEST(Text, name_lists_are_cut_after_five) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(name_list(Names{}), "no names");
  EXPECT_EQ(name_list(Names{"a", "b"}), "'a', 'b'");
  EXPECT_EQ(name_list(Names{"a", "b", "c", "d", "e", "f", "g"}),
            "'a', 'b', 'c', 'd', 'e' and 2 more");
}

}  // namespace text_test
}  // namespace sbog::detail
