// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "data/support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace safetensors_test {

using testing_support::append_value;
using testing_support::array_of;
using testing_support::bytes_of;
using testing_support::has_bytes_of;
using testing_support::message_of;
using testing_support::read_bytes;
using testing_support::TemporaryFolder;
using testing_support::write_text;

std::string slow_file(const std::string& json, const std::string& buffer) {
  std::string out;
  append_value(out, static_cast<std::uint64_t>(json.size()),
               std::endian::little);
  return out + json + buffer;
}

std::string two_floats(float first, float second) {
  std::string buffer;
  append_value(buffer, first, std::endian::little);
  append_value(buffer, second, std::endian::little);
  return slow_file(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                   buffer);
}

TEST(Safetensors, a_file_written_by_hand_is_read) {
  const std::string file = two_floats(1.5f, -2.0f);
  const SafetensorsFile read = parse_safetensors(bytes_of(file), "f");
  ASSERT_EQ(read.tensors.size(), 1u);
  EXPECT_EQ(read.tensors[0].name, "w");
  EXPECT_EQ(to_vector(read.tensors[0].array), (std::vector<double>{1.5, -2}));
}

TEST(Safetensors, tensors_look_into_the_mapped_file) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  write_text(path, two_floats(1, 2));
  const Array array = read_safetensors(path, "w");
  EXPECT_TRUE(array.is_mapped());
  EXPECT_EQ(array.name(), path + ":w");
  EXPECT_EQ(message_of<IoError>([&] { read_safetensors(path, "v"); }),
            path + ": has no tensor 'v'; it has 'w'");
}

TEST(Safetensors, every_type_comes_back_from_the_writer) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  using enum ElementType;
  std::vector<NamedArray> tensors;
  for (const auto type : {kUInt8, kBool, kFloat16, kBFloat16, kInt32, kFloat32,
                          kInt64, kFloat64}) {
    std::vector<std::uint8_t> raw(3 * element_size(type));
    for (std::size_t i = 0; i < raw.size(); ++i) {
      raw[i] = static_cast<std::uint8_t>(7 * i);
    }
    tensors.push_back({to_string(type), array_of(type, {3, 1}, raw)});
  }
  write_safetensors(path, tensors, {{"made", "here"}});
  const SafetensorsFile file = read_safetensors(path);
  EXPECT_EQ(file.metadata.at("made"), "here");
  ASSERT_EQ(file.tensors.size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Array& wanted = tensors[i].array;
    const Array& got = file.tensors[i].array;
    EXPECT_EQ(file.tensors[i].name, tensors[i].name);
    EXPECT_EQ(got.type(), wanted.type());
    EXPECT_EQ(got.shape(), wanted.shape());
    EXPECT_EQ(std::memcmp(got.bytes(), wanted.bytes(), wanted.byte_count()), 0);
  }
}

TEST(Safetensors, the_buffer_begins_at_a_multiple_of_8) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  for (const std::string name : {"a", "ab", "abc", "abcd"}) {
    const NamedArray tensor = {
        name, array_of<double>(ElementType::kFloat64, {1}, {2.5})};
    write_safetensors(path, {&tensor, 1});
    EXPECT_EQ(read_bytes(path).size() % 8, 0u);
    EXPECT_TRUE(to_matrix<double>(read_safetensors(path, name)).is_mapped());
  }
}

TEST(Safetensors, what_the_format_does_not_have_is_not_written) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  const Array array = array_of<float>(ElementType::kFloat32, {1}, {1});
  const auto refusal = [&](const std::vector<NamedArray>& tensors) {
    return message_of<InvalidArgument>(
        [&] { write_safetensors(path, tensors); });
  };
  EXPECT_EQ(refusal({{"w", array}, {"w", array}}),
            "write_safetensors: the tensor name 'w' appears twice");
  EXPECT_EQ(refusal({{"__metadata__", array}}),
            "write_safetensors: the tensor '__metadata__' has a reserved name");
  EXPECT_EQ(
      refusal({{"i", array_of<std::int16_t>(ElementType::kInt16, {1}, {1})}}),
      "write_safetensors: the tensor 'i' has the type int16, which the "
      "format does not have");
  EXPECT_NE(refusal({{"\xFF", array}}).find("is not UTF-8"), std::string::npos);
  EXPECT_NE(refusal({{std::string(1025, 'x'), array}}), "nothing was thrown");
  EXPECT_NE(refusal({{"r", array_of<float>(ElementType::kFloat32,
                                           {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1})}})
                .find("rank above 8"),
            std::string::npos);
  EXPECT_TRUE(folder.is_empty());
}

TEST(Safetensors, a_header_beyond_the_cap_is_refused) {
  const std::string file = two_floats(1, 2);
  SafetensorsOptions options;
  options.max_header_bytes = 10;
  EXPECT_EQ(
      message_of<IoError>(
          [&] { parse_safetensors(bytes_of(file), "f", options); }),
      "f: the safetensors header claims 54 bytes; at most 10 are accepted");
  options.max_header_bytes = ~std::size_t{0};
  std::string large;
  append_value(large, std::uint64_t{100'000'001}, std::endian::little);
  EXPECT_NE(message_of<IoError>([&] {
              parse_safetensors(bytes_of(large), "f", options);
            }).find("at most 100000000 are accepted"),
            std::string::npos);
}

TEST(Safetensors, non_finite_values_are_refused_when_asked) {
  const std::string file = two_floats(1, std::nanf(""));
  EXPECT_NO_THROW(parse_safetensors(bytes_of(file), "f"));
  SafetensorsOptions options;
  options.requires_finite = true;
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { parse_safetensors(bytes_of(file), "f", options); }),
            "f:w: row 1, column 0 is NaN; finite values are expected");
}

TEST(Safetensors, the_expected_tensors_are_compared_one_by_one) {
  const SafetensorsFile file =
      parse_safetensors(bytes_of(two_floats(1, 2)), "f");
  const ExpectedTensor good = {"w", ElementType::kFloat32, {2}};
  const auto refusal = [&](const std::vector<ExpectedTensor>& expected,
                           const std::vector<std::string>& extra = {}) {
    return message_of<IoError>([&] { check_tensors(file, expected, extra); });
  };
  EXPECT_EQ(refusal({good}), "nothing was thrown");
  EXPECT_EQ(refusal({}), "f: the tensor 'w' is not expected");
  EXPECT_EQ(refusal({}, {"w"}), "nothing was thrown");
  EXPECT_EQ(refusal({good, {"v", ElementType::kFloat32, {2}}}),
            "f: the tensor 'v' is missing");
  EXPECT_EQ(refusal({{"w", ElementType::kFloat32, {2, 1}}}),
            "f: the tensor 'w' is float32 (2,); float32 (2, 1) is expected");
  EXPECT_EQ(refusal({{"w", ElementType::kFloat16, {2}}}),
            "f: the tensor 'w' is float32 (2,); float16 (2,) is expected");
}

TEST(Safetensors, every_truncation_is_refused) {
  const std::string file = two_floats(1, 2);
  for (std::size_t n = 0; n < file.size(); ++n) {
    EXPECT_THROW(parse_safetensors(bytes_of(file.substr(0, n)), "f"), IoError)
        << n;
  }
}

RC_GTEST_PROP(Safetensors, tensors_come_back_by_name,
              (const std::map<std::uint16_t, std::vector<float>>& content)) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.safetensors");
  std::vector<NamedArray> tensors;
  for (const auto& [key, values] : content) {
    tensors.push_back({std::to_string(key), array_of(ElementType::kFloat32,
                                                     {values.size()}, values)});
  }
  write_safetensors(path, tensors);
  for (const auto& [key, values] : content) {
    const Array array = read_safetensors(path, std::to_string(key));
    RC_ASSERT(has_bytes_of(array, values));
  }
}

std::string index_refusal(const std::string& json) {
  return message_of<IoError>(
      [&] { parse_safetensors_index(bytes_of(json), "f"); });
}

TEST(SafetensorsIndex, tensors_are_mapped_to_files) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors.index.json");
  write_text(
      path,
      R"({"metadata":{"total_size":8,"by":"x"},"weight_map":{"a":"1.st","b":"2..st"}})");
  EXPECT_EQ(read_safetensors_index(path),
            (SafetensorsIndex{{"a", "1.st"}, {"b", "2..st"}}));
}

TEST(SafetensorsIndex, a_name_that_leaves_the_folder_is_refused) {
  EXPECT_EQ(index_refusal(R"({"weight_map":{"a":"../x"}})"),
            "f: the tensor 'a' is placed in '../x'; a bare file name is "
            "expected");
  for (const char* shard :
       {"", ".", "..", "/x", "a/b", "a\\\\b", "C:x", "a\\u0000", "a\\n"}) {
    EXPECT_NE(
        index_refusal(R"({"weight_map":{"a":")" + std::string(shard) + "\"}}")
            .find("a bare file name is expected"),
        std::string::npos)
        << shard;
  }
}

TEST(SafetensorsIndex, other_shapes_of_json_are_refused) {
  EXPECT_EQ(index_refusal("{}"), "f: the index has no 'weight_map'");
  EXPECT_EQ(index_refusal(R"({"x":1})"),
            "f: the index has the unknown key 'x'");
  EXPECT_EQ(index_refusal(R"({"weight_map":{"a":"x","a":"y"}})"),
            "f: the JSON key 'a' appears twice");
}

TEST(SafetensorsIndex, values_of_another_kind_are_named) {
  EXPECT_EQ(index_refusal(R"({"weight_map":{"a":1}})"),
            "f: the file of the tensor 'a' is not a string");
  EXPECT_EQ(index_refusal(R"({"weight_map":"a"})"),
            "f: the weight_map is not an object");
  EXPECT_EQ(index_refusal("[]"), "f: the index is not an object");
}

TEST(SafetensorsIndex, at_most_65536_tensors_are_accepted) {
  const auto with = [](std::size_t count) {
    std::string json = R"({"weight_map":{"0":"x")";
    for (std::size_t i = 1; i < count; ++i) {
      json += ",\"" + std::to_string(i) + "\":\"x\"";
    }
    return json + "}}";
  };
  EXPECT_EQ(index_refusal(with(65536)), "nothing was thrown");
  EXPECT_NE(index_refusal(with(65537)), "nothing was thrown");
}

TEST(SafetensorsIndex, a_file_beyond_16_mib_is_refused) {
  const std::string large((std::size_t{16} << 20) + 1, ' ');
  EXPECT_EQ(index_refusal(large),
            "f: is longer than the 16 MiB accepted for an index");
}

}  // namespace safetensors_test
}  // namespace sbog
