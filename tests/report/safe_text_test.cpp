// SPDX-License-Identifier: Apache-2.0
#include "sbog/report/safe_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

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

}  // namespace safe_text_test
}  // namespace sbog
