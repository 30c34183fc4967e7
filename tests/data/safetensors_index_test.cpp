// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/safetensors_index.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "data/support.h"
#include "oracle/temporary_folder.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace safetensors_index_test {

using testing_support::bytes_of;
using testing_support::message_of;
using Index = std::map<std::string, std::string>;

std::string refusal(const std::string& json) {
  return message_of<IoError>(
      [&] { parse_safetensors_index(bytes_of(json), "f"); });
}

TEST(SafetensorsIndex, tensors_are_mapped_to_files) {
  const testing_support::TemporaryFolder folder;
  const std::string path = folder.file("model.safetensors.index.json");
  testing_support::write_text(
      path,
      R"({"metadata":{"total_size":8,"by":"x"},"weight_map":{"a":"1.st","b":"2..st"}})");
  EXPECT_EQ(read_safetensors_index(path),
            (Index{{"a", "1.st"}, {"b", "2..st"}}));
}

TEST(SafetensorsIndex, a_name_that_leaves_the_folder_is_refused) {
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"../x"}})"),
            "f: the tensor 'a' is placed in '../x'; a bare file name is "
            "expected");
  for (const char* shard :
       {"", ".", "..", "/x", "a/b", "a\\\\b", "C:x", "a\\u0000", "a\\n"}) {
    EXPECT_NE(refusal(R"({"weight_map":{"a":")" + std::string(shard) + "\"}}")
                  .find("a bare file name is expected"),
              std::string::npos)
        << shard;
  }
}

TEST(SafetensorsIndex, other_shapes_of_json_are_refused) {
  EXPECT_EQ(refusal("{}"), "f: the index has no 'weight_map'");
  EXPECT_EQ(refusal(R"({"x":1})"), "f: the index has the unknown key 'x'");
  EXPECT_EQ(refusal(R"({"weight_map":{"a":"x","a":"y"}})"),
            "f: the JSON key 'a' appears twice");
}

TEST(SafetensorsIndex, a_file_beyond_16_mib_is_refused) {
  const std::string large((std::size_t{16} << 20) + 1, ' ');
  EXPECT_EQ(refusal(large),
            "f: is longer than the 16 MiB accepted for an index");
}

}  // namespace safetensors_index_test
}  // namespace sbog
