// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/safetensors_header.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/support.h"
#include "sbog/base/errors.h"
#include "sbog/data/detail/json_tree.h"

namespace sbog::detail {
namespace safetensors_header_test {

using testing_support::message_of;

std::string entry(const std::string& name, const std::string& dtype,
                  const std::string& shape, const std::string& offsets) {
  std::string out = json_string(name);
  out += ":{\"dtype\":" + json_string(dtype);
  out += ",\"shape\":" + shape;
  out += ",\"data_offsets\":" + offsets;
  out += "}";
  return out;
}

std::string object(const std::vector<std::string>& entries) {
  std::string out = "{";
  for (const auto& text : entries) {
    if (out.size() > 1) out += ',';
    out += text;
  }
  out += '}';
  return out;
}

std::string refusal(const std::string& json, std::size_t buffer) {
  return message_of<IoError>(
      [&] { parse_safetensors_header(json, buffer, "f"); });
}

TEST(SafetensorsHeader, entries_and_metadata_are_read) {
  const std::string json = object({"\"__metadata__\":{\"k\":\"v\"}",
                                   entry("w", "F32", "[2,3]", "[8,32]"),
                                   entry("i", "I64", "[]", "[0,8]")});
  const auto header = parse_safetensors_header(json + "  ", 32, "f");
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.metadata.at("k"), "v");
  EXPECT_EQ(header.tensors[0].name, "w");
  EXPECT_EQ(header.tensors[0].type, ElementType::kFloat32);
  EXPECT_EQ(header.tensors[0].shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(header.tensors[0].begin, 8u);
  EXPECT_EQ(header.tensors[1].end, 8u);
}

TEST(SafetensorsHeader, faults_are_named_by_tensor) {
  EXPECT_EQ(refusal(object({entry("w", "F99", "[1]", "[0,4]")}), 4),
            "f: the tensor 'w' has the dtype 'F99'; F64, F32, F16, BF16, I64, "
            "I32, U8 and BOOL are accepted");
  EXPECT_EQ(refusal(object({entry("w", "F32", "[2]", "[0,4]")}), 4),
            "f: the tensor 'w' spans 4 bytes, but its shape (2,) takes 8");
  EXPECT_EQ(refusal(object({entry("w", "F32", "[1]", "[0,4]")}), 3),
            "f: the tensor 'w' lies outside the 3 bytes of the buffer");
  EXPECT_EQ(refusal(object({entry("w", "U8", "[1]", "[1,2]")}), 2),
            "f: the tensor 'w' begins after a gap of 1 bytes");
  EXPECT_EQ(refusal(object({entry("w", "U8", "[2]", "[0,2]"),
                            entry("v", "U8", "[2]", "[1,3]")}),
                    3),
            "f: the tensor 'v' overlaps another tensor");
  EXPECT_EQ(refusal(object({entry("w", "U8", "[1]", "[0,1]")}), 3),
            "f: 2 bytes follow the last tensor");
  EXPECT_EQ(refusal("{\"w\":{\"dtype\":\"U8\"}}", 0),
            "f: the tensor 'w' lacks dtype, shape or data_offsets");
  EXPECT_EQ(refusal("{\"w\":{\"kind\":1}}", 0),
            "f: the tensor 'w' has the unknown field 'kind'");
  EXPECT_EQ(refusal("[]", 0),
            "f: the safetensors header does not begin with a brace");
  EXPECT_EQ(
      refusal(object({entry("w", "U8", "[4294967296,4294967296]", "[0,0]")}),
              0),
      "f: the tensor 'w' has the shape (4294967296, 4294967296), which is "
      "larger than any memory");
}

TEST(SafetensorsHeader, at_most_65536_tensors_are_accepted) {
  const auto with = [](std::size_t count) {
    std::vector<std::string> entries = {"\"__metadata__\":{}"};
    for (std::size_t i = 0; i < count; ++i) {
      entries.push_back(entry(std::to_string(i), "U8", "[0]", "[0,0]"));
    }
    return object(entries);
  };
  EXPECT_EQ(parse_safetensors_header(with(65536), 0, "f").tensors.size(),
            65536u);
  EXPECT_NE(refusal(with(65537), 0), "nothing was thrown");
}

TEST(SafetensorsHeader, at_most_65536_metadata_values_are_accepted) {
  SafetensorsHeader header;
  for (int i = 0; i < 65536; ++i) header.metadata[std::to_string(i)] = "";
  EXPECT_EQ(refusal(safetensors_json(header), 0), "nothing was thrown");
  header.metadata["one more"] = "";
  EXPECT_EQ(refusal(safetensors_json(header), 0),
            "f: holds more than 65,536 metadata values");
}

TEST(SafetensorsHeader, values_of_another_kind_are_named) {
  EXPECT_EQ(refusal(object({entry("w", "F32", "\"2\"", "[0,4]")}), 4),
            "f: the shape of the tensor 'w' is not an array");
  EXPECT_EQ(refusal(object({entry("w", "F32", "[\"2\"]", "[0,4]")}), 4),
            "f: an element of the shape of the tensor 'w' is not an integer");
  EXPECT_EQ(refusal("{\"w\":1}", 0),
            "f: the entry of the tensor 'w' is not an object");
  EXPECT_EQ(refusal("{\"__metadata__\":{\"k\":1}}", 0),
            "f: the metadata value of 'k' is not a string");
}

TEST(SafetensorsHeader, the_written_json_is_padded_and_reads_back) {
  SafetensorsHeader header;
  header.metadata = {{"a\"b", "c\nd"}, {"e", ""}};
  header.tensors = {{"x", ElementType::kBFloat16, {2, 0}, 0, 0},
                    {"y\\", ElementType::kBool, {}, 0, 1}};
  const std::string json = safetensors_json(header);
  EXPECT_EQ(json.size() % 8, 0u);
  const auto read = parse_safetensors_header(json, 1, "f");
  EXPECT_EQ(read.metadata, header.metadata);
  ASSERT_EQ(read.tensors.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.tensors[i].name, header.tensors[i].name);
    EXPECT_EQ(read.tensors[i].type, header.tensors[i].type);
    EXPECT_EQ(read.tensors[i].shape, header.tensors[i].shape);
    EXPECT_EQ(read.tensors[i].end, header.tensors[i].end);
  }
  EXPECT_EQ(safetensors_json({}), "{}      ");
}

TEST(SafetensorsHeader, types_outside_the_list_have_no_name) {
  EXPECT_EQ(safetensors_dtype(ElementType::kBFloat16), "BF16");
  EXPECT_FALSE(safetensors_dtype(ElementType::kUInt16).has_value());
}

}  // namespace safetensors_header_test
}  // namespace sbog::detail
