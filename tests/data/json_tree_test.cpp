// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/json_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace json_tree_test {

using testing_support::message_of;

std::string string_of(const std::string& json) {
  return parse_json(json, "f").string("f", "the value");
}

std::uint64_t integer_of(const std::string& json) {
  return parse_json(json, "f").integer("f", "the value");
}

// Reads {"key": [integers], ...} and writes it back without blanks.
std::string echoed(const std::string& json) {
  const JsonValue root = parse_json(json, "f", {.members = 3, .elements = 3});
  std::string out;
  for (const auto& member : root.members("f", "the root")) {
    out += member.key + ":";
    for (const auto& element : member.elements("f", "a member")) {
      out += std::to_string(element.integer("f", "an element")) + ",";
    }
    out += ";";
  }
  return out;
}

std::string refusal(const std::string& json, const JsonLimits& limits = {}) {
  return message_of<IoError>([&] { parse_json(json, "f", limits); });
}

TEST(JsonTree, objects_and_arrays_are_walked_in_order) {
  EXPECT_EQ(echoed("{}"), "");
  EXPECT_EQ(echoed(" {\t\"a\" : [ 1 , 2 ] ,\n\"b\":[]}  "), "a:1,2,;b:;");
}

TEST(JsonTree, malformed_objects_and_arrays_are_refused) {
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

TEST(JsonTree, strings_are_unescaped) {
  EXPECT_EQ(string_of("\"a b\""), "a b");
  EXPECT_EQ(string_of(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(string_of(R"("\u0041\u00e4\u20AC\ud83d\ude00")"),
            "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(string_of(R"("\u0000")"), std::string(1, '\0'));
}

TEST(JsonTree, malformed_strings_are_refused) {
  for (const std::string json :
       {"\"", "\"a", "a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"",
        "\"\\u-123\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
        "\"\\ud800x\"", "\"a\nb\"", "\"\x01\"", "\"\\", "\"\\u"}) {
    EXPECT_THROW(string_of(json), IoError) << quote(json);
  }
  EXPECT_THROW(string_of("\"\xFF\""), IoError);
}

TEST(JsonTree, strings_have_at_most_1024_bytes) {
  EXPECT_EQ(string_of("\"" + std::string(1024, 'x') + "\"").size(), 1024u);
  EXPECT_THROW(string_of("\"" + std::string(1025, 'x') + "\""), IoError);
}

TEST(JsonTree, integers_are_plain_and_at_most_2_to_53) {
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

TEST(JsonTree, refusals_give_the_position) {
  EXPECT_EQ(message_of<IoError>([] { echoed("{\"a\":[1,x]}"); }),
            "f: the JSON text is malformed at byte 8: syntax error while "
            "parsing value - invalid literal");
  EXPECT_EQ(message_of<IoError>([] { echoed("{\"a\":[],\"a\":[]}"); }),
            "f: the JSON key 'a' appears twice");
  EXPECT_EQ(refusal("{} \n"),
            "f: the JSON text is malformed at byte 3: nothing but spaces is "
            "expected after the end");
  EXPECT_EQ(refusal("{\"a\":[1,-2]}"),
            "f: the JSON value behind the key 'a' is not an object, an array, "
            "a string or an integer from 0 to 2^53");
}

TEST(JsonTree, what_the_parser_would_pass_over_is_refused) {
  EXPECT_EQ(refusal("\xEF\xBB\xBF{}"),
            "f: the JSON text is malformed at byte 0: a byte order mark is not "
            "accepted");
  EXPECT_EQ(refusal(std::string("{}\0{", 4)),
            "f: the JSON text is malformed at byte 2: a NUL is not accepted");
  EXPECT_NE(refusal("{} // note"), "nothing was thrown");
}

TEST(JsonTree, the_limits_hold) {
  EXPECT_EQ(refusal("[[[1]]]"), "nothing was thrown");
  EXPECT_EQ(refusal("[[[[1]]]]"), "f: the JSON value is nested deeper than 3");
  EXPECT_EQ(refusal(std::string(1000000, '[')),
            "f: the JSON value is nested deeper than 3");
  EXPECT_EQ(refusal("{\"a\":[1,2,3]}", {.elements = 2}),
            "f: the JSON value behind the key 'a' lies in an array of more "
            "than 2");
  EXPECT_EQ(refusal("{\"a\":1,\"b\":2}", {.members = 1}),
            "f: the JSON value behind the key 'b' lies in an object of more "
            "than 1");
  EXPECT_EQ(refusal("[1,2]", {.values = 3}), "nothing was thrown");
  EXPECT_EQ(refusal("[1,2,3]", {.values = 3}),
            "f: the JSON text holds more than 3 values");
}

TEST(JsonTree, kinds_are_told_apart) {
  using Kind = JsonValue::Kind;
  EXPECT_EQ(parse_json(" \"a\"", "f").kind, Kind::kString);
  EXPECT_EQ(parse_json(" 1", "f").kind, Kind::kInteger);
  EXPECT_EQ(parse_json("[]", "f").kind, Kind::kArray);
  EXPECT_EQ(parse_json("{}", "f").kind, Kind::kObject);
  EXPECT_EQ(message_of<IoError>([] { string_of("1"); }),
            "f: the value is not a string");
  EXPECT_EQ(message_of<IoError>([] { integer_of("[]"); }),
            "f: the value is not an integer");
  EXPECT_EQ(
      message_of<IoError>([] { parse_json("1", "f").elements("f", "it"); }),
      "f: it is not an array");
  EXPECT_EQ(
      message_of<IoError>([] { parse_json("1", "f").members("f", "it"); }),
      "f: it is not an object");
}

RC_GTEST_PROP(JsonTree, written_strings_come_back,
              (const std::vector<std::uint32_t>& numbers)) {
  std::string text;
  for (const auto number : numbers) {
    const std::uint32_t point = number % 0x110000;
    if (point < 0xD800 || point > 0xDFFF) append_utf8(point, text);
    append_utf8(number % 0x80, text);
  }
  RC_PRE(text.size() <= kMaxJsonString);
  RC_ASSERT(string_of(json_string(text)) == text);
}

}  // namespace json_tree_test
}  // namespace sbog::detail
