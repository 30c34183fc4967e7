// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/json_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace json_reader_test {

using testing_support::message_of;

std::string string_of(const std::string& json) {
  JsonReader reader(json, "f");
  std::string out = reader.string();
  reader.expect_end();
  return out;
}

std::uint64_t integer_of(const std::string& json) {
  JsonReader reader(json, "f");
  const std::uint64_t out = reader.integer();
  reader.expect_end();
  return out;
}

// Reads {"key": [integers], ...} and writes it back without blanks.
std::string echoed(const std::string& json) {
  JsonReader reader(json, "f");
  std::string out;
  reader.object(3, [&](const std::string& key) {
    out += key + ":";
    reader.array(3, [&] { out += std::to_string(reader.integer()) + ","; });
    out += ";";
  });
  reader.expect_end();
  return out;
}

TEST(JsonReader, objects_and_arrays_are_walked_in_order) {
  EXPECT_EQ(echoed("{}"), "");
  EXPECT_EQ(echoed(" {\t\"a\" : [ 1 , 2 ] ,\n\"b\":[]}  "), "a:1,2,;b:;");
}

TEST(JsonReader, malformed_objects_and_arrays_are_refused) {
  for (const char* json : {"",
                           "{",
                           "}",
                           "[]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":[1,]}",
                           "{\"a\":[1]",
                           "{\"a\":[1],}",
                           "{,}",
                           "{\"a\":[1] \"b\":[]}",
                           "{a:[]}",
                           "{\"a\":[1 2]}",
                           "{'a':[]}",
                           "{\"a\":[]}x",
                           "{\"a\":[]}\n",
                           "{\"a\":[1,2,3,4]}",
                           "{\"a\":[],\"b\":[],\"c\":[],\"d\":[]}",
                           "{\"a\":[],\"a\":[]}",
                           "{\"a\":[],\"\\u0061\":[]}"}) {
    EXPECT_THROW(echoed(json), IoError) << json;
  }
}

TEST(JsonReader, strings_are_unescaped) {
  EXPECT_EQ(string_of("\"a b\""), "a b");
  EXPECT_EQ(string_of(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(string_of(R"("\u0041\u00e4\u20AC\ud83d\ude00")"),
            "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(string_of(R"("\u0000")"), std::string(1, '\0'));
}

TEST(JsonReader, malformed_strings_are_refused) {
  for (const std::string json :
       {"\"", "\"a", "a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"",
        "\"\\u-123\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
        "\"\\ud800x\"", "\"a\nb\"", "\"\x01\"", "\"\\", "\"\\u"}) {
    EXPECT_THROW(string_of(json), IoError) << quote(json);
  }
  EXPECT_THROW(string_of("\"\xFF\""), IoError);
}

TEST(JsonReader, strings_have_at_most_1024_bytes) {
  EXPECT_EQ(string_of("\"" + std::string(1024, 'x') + "\"").size(), 1024u);
  EXPECT_THROW(string_of("\"" + std::string(1025, 'x') + "\""), IoError);
}

TEST(JsonReader, integers_are_plain_and_at_most_2_to_53) {
  EXPECT_EQ(integer_of("0"), 0u);
  EXPECT_EQ(integer_of(" 120 "), 120u);
  EXPECT_EQ(integer_of("9007199254740992"), std::uint64_t{1} << 53);
  for (const char* json :
       {"", "-1", "-0", "+1", "01", "00", "1.0", "1.", "1e0", "1E2", ".5",
        "9007199254740993", "99999999999999999999", "0x1", "true", "\"1\"",
        "NaN"}) {
    EXPECT_THROW(integer_of(json), IoError) << json;
  }
}

TEST(JsonReader, refusals_give_the_position) {
  EXPECT_EQ(message_of<IoError>([] { echoed("{\"a\":[1,x]}"); }),
            "f: the JSON text is malformed at byte 8: a non-negative integer "
            "is expected");
  EXPECT_EQ(message_of<IoError>([] { echoed("{\"a\":[],\"a\":[]}"); }),
            "f: the JSON key 'a' appears twice");
}

TEST(JsonReader, the_next_value_can_be_told_apart) {
  JsonReader string(" \"a\"", "f");
  EXPECT_TRUE(string.is_string_next());
  JsonReader number(" 1", "f");
  EXPECT_FALSE(number.is_string_next());
}

RC_GTEST_PROP(JsonReader, written_strings_come_back,
              (const std::vector<std::uint32_t>& numbers)) {
  std::string text;
  for (const auto number : numbers) {
    const std::uint32_t point = number % 0x110000;
    if (point < 0xD800 || point > 0xDFFF) append_utf8(point, text);
    append_utf8(number % 0x80, text);
  }
  RC_PRE(text.size() <= JsonReader::kMaxString);
  RC_ASSERT(string_of(json_string(text)) == text);
}

}  // namespace json_reader_test
}  // namespace sbog::detail
