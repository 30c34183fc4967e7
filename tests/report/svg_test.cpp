// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sbog {
namespace svg_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Svg, special_characters_are_escaped) {
  EXPECT_EQ(escape_xml("a < b & \"c\" > 'd'"),
            "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(escape_xml("d\xC3\xA9"
                       "bit \xF0\x9F\x94\xA5"),
            "d\xC3\xA9"
            "bit \xF0\x9F\x94\xA5");
}

TEST(Svg, what_xml_does_not_allow_is_replaced) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_xml(std::string_view("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(escape_xml("\x1B[31m"), bad + "[31m");
  EXPECT_EQ(escape_xml("\xFF"), bad);
  EXPECT_EQ(escape_xml("\xC0\xAF"), bad + bad);            // overlong
  EXPECT_EQ(escape_xml("\xED\xA0\x80"), bad + bad + bad);  // a surrogate
  EXPECT_EQ(escape_xml("\xE2\x82"), bad + bad);            // cut off
  EXPECT_EQ(escape_xml("\xEF\xBF\xBF"), bad);              // not a character
}

RC_GTEST_PROP(Svg, escaped_text_holds_no_markup, (const std::string& text)) {
  const std::string escaped = escape_xml(text);
  RC_ASSERT(escaped.find_first_of("<>\"'") == std::string::npos);
  for (const char c : escaped) {
    const auto byte = static_cast<unsigned char>(c);
    RC_ASSERT(byte >= 0x20 || c == '\t' || c == '\n' || c == '\r');
  }
  // What is escaped once reads as text, so nothing is replaced twice.
  RC_ASSERT(escape_xml(escape_xml("\xFF" + text)).find('<') ==
            std::string::npos);
}

TEST(Svg, long_texts_are_cut_between_characters) {
  EXPECT_EQ(cut_text("pressure", 8), "pressure");
  EXPECT_EQ(cut_text("pressure", 5), "pres\xE2\x80\xA6");
  EXPECT_EQ(cut_text("\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9\xE2\x80\xA6");
  EXPECT_EQ(cut_text("abc", 0), "");
}

TEST(Svg, lines_are_broken_at_blanks) {
  EXPECT_THAT(wrap_text("one two three four", 9),
              ElementsAre("one two", "three", "four"));
  EXPECT_THAT(wrap_text("one two  three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap_text("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_TRUE(wrap_text("", 5).empty());
}

RC_GTEST_PROP(Svg, wrapping_loses_nothing_but_blanks,
              (const std::string& text)) {
  const auto columns = static_cast<std::size_t>(*rc::gen::inRange(1, 30));
  std::string joined;
  for (const std::string& line : wrap_text(text, columns)) joined += line;
  const auto without_blanks = [](std::string s) {
    std::erase(s, ' ');
    return s;
  };
  RC_ASSERT(without_blanks(joined) == without_blanks(text));
}

TEST(Svg, a_drawing_stands_by_itself) {
  SvgDrawing drawing(100.0, 50.0, "a <title>");
  drawing.line({0.0, 1.0}, {2.5, 3.128}, "grid");
  drawing.box({1.0, 2.0}, 3.0, 4.0, "span");
  const SvgPoint points[] = {{1.0, 2.0}, {3.0, -0.001}};
  drawing.path(points, "source");
  drawing.text({5.0, 6.0}, "x<y", "name", TextAnchor::kEnd, "\"hint\"");
  const std::string svg = drawing.finish();
  EXPECT_THAT(svg, ::testing::StartsWith("<svg "));
  EXPECT_THAT(svg, ::testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 100 50\""));
  EXPECT_THAT(svg, HasSubstr("<title>a &lt;title&gt;</title>"));
  EXPECT_THAT(svg, HasSubstr("x2=\"2.5\" y2=\"3.13\""));
  EXPECT_THAT(svg, HasSubstr("d=\"M1 2L3 0\""));
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"end\">x&lt;y"));
  EXPECT_THAT(svg, HasSubstr("<title>&quot;hint&quot;</title>"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("href")));
}

}  // namespace svg_test
}  // namespace sbog
