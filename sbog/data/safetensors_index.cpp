// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/safetensors_index.h"

#include <algorithm>
#include <string_view>

#include "sbog/base/errors.h"
#include "sbog/data/detail/json_reader.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/data/detail/safetensors_header.h"
#include "sbog/data/detail/text.h"

namespace sbog {
namespace {

constexpr std::size_t kMaxIndex = std::size_t{16} << 20;

bool is_bare_file_name(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    return c == '/' || c == '\\' || c == ':' ||
           static_cast<unsigned char>(c) < 0x20;
  });
}

// Metadata is of no use here, but must be plain: strings and integers.
void skip_metadata(detail::JsonReader& json) {
  json.object(detail::kMaxTensors, [&](const std::string&) {
    if (json.is_string_next()) {
      json.string();
    } else {
      json.integer();
    }
  });
}

std::map<std::string, std::string> weight_map(detail::JsonReader& json,
                                              const std::string& name) {
  std::map<std::string, std::string> out;
  json.object(detail::kMaxTensors, [&](const std::string& tensor) {
    const std::string shard = json.string();
    if (!is_bare_file_name(shard)) {
      throw IoError(name, "the tensor " + detail::quote(tensor) +
                              " is placed in " + detail::quote(shard) +
                              "; a bare file name is expected");
    }
    out[tensor] = shard;
  });
  return out;
}

}  // namespace

std::map<std::string, std::string> parse_safetensors_index(
    std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > kMaxIndex) {
    throw IoError(name, "is longer than the 16 MiB accepted for an index");
  }
  detail::JsonReader json(detail::as_text(bytes), name);
  std::map<std::string, std::string> out;
  bool has_map = false;
  json.object(2, [&](const std::string& key) {
    if (key == "metadata") {
      skip_metadata(json);
    } else if (key == "weight_map") {
      out = weight_map(json, name);
      has_map = true;
    } else {
      throw IoError(name,
                    "the index has the unknown key " + detail::quote(key));
    }
  });
  json.expect_end();
  if (!has_map) throw IoError(name, "the index has no 'weight_map'");
  return out;
}

std::map<std::string, std::string> read_safetensors_index(
    const std::string& path) {
  const detail::FileBytes file = detail::map_file(path);
  return parse_safetensors_index(file.bytes, path);
}

}  // namespace sbog
