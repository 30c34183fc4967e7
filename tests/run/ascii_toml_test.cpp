// SPDX-License-Identifier: Apache-2.0
// Letters beyond ASCII for a reader of ASCII, and back.
#include "sbog/run/detail/ascii_toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sbog/base/errors.h"
#include "sbog/run/config_file.h"

namespace sbog {
namespace ascii_toml_test {

std::string value_of(const std::string& text) {
  return parse_config(text, "c.toml", "").at(0).values.at(0);
}

TEST(AsciiToml, text_is_ascii_and_is_had_back) {
  for (const std::string text :
       {"", "plain", "\u00E9", "a \u3042 b", "~ \u00E9", "~^`@ \U0001F600"}) {
    const AsciiToml coded(text, "c.toml");
    EXPECT_THAT(coded.text(), testing::Each(testing::Lt('\x7F'))) << text;
    EXPECT_EQ(coded.original(coded.text()), text);
  }
  EXPECT_EQ(AsciiToml("\xEF\xBB\xBF"
                      "a",
                      "c.toml")
                .text(),
            "a");
}

TEST(AsciiToml, nothing_is_changed_where_all_is_ascii) {
  const AsciiToml coded("~C3", "c.toml");
  EXPECT_EQ(coded.text(), "~C3");
  EXPECT_EQ(coded.original("~C3"), "~C3");
  EXPECT_EQ(coded.original_message("saw '~'"), "saw '~'");
}

TEST(AsciiToml, no_mark_or_escape_is_taken_for_a_letter) {
  // ~C3 and ^C3 could stand for a byte of a letter.
  EXPECT_EQ(value_of("a = '~C3~A9'"), "~C3~A9");
  EXPECT_EQ(value_of("a = '\u00E9 ~C3^C3'"), "\u00E9 ~C3^C3");
  EXPECT_EQ(value_of("a = \"\u00E9 \\u007eC3 \\U0000005EC3\""),
            "\u00E9 ~C3 ^C3");
  EXPECT_EQ(value_of("a = \"\\u00E9 \u00E9\""), "\u00E9 \u00E9");
}

TEST(AsciiToml, a_text_with_every_mark_has_none_left) {
  const std::string all = "~^`@!$%&;?|*<>/";
  EXPECT_EQ(value_of("a = '" + all + "'"), all);
  try {
    value_of("a = '\u00E9" + all + "'");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("every punctuation mark"));
  }
}

TEST(AsciiToml, messages_have_the_letters_or_say_where_they_may_stand) {
  const AsciiToml coded("'\u00E9'", "c.toml");
  EXPECT_EQ(coded.original_message("key " + coded.text() + " twice"),
            "key '\u00E9' twice");
  EXPECT_EQ(coded.original_message("saw '~'"),
            "letters beyond ASCII are expected within quotes only");
}

}  // namespace ascii_toml_test
}  // namespace sbog
