// SPDX-License-Identifier: Apache-2.0
// The JSON header of a safetensors file.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/data/array.h"

namespace sbog::detail {

inline constexpr std::size_t kMaxTensors = 65536;
inline constexpr std::size_t kMaxTensorRank = 8;
inline constexpr std::string_view kMetadataKey = "__metadata__";

/// Where a tensor lies: bytes [begin, end) of the buffer.
struct TensorEntry {
  std::string name;
  ElementType type = ElementType::kFloat32;
  std::vector<std::size_t> shape;
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;
  std::map<std::string, std::string> metadata;
};

/// "F32" and so on; nothing for a type that the format does not have.
std::optional<std::string_view> safetensors_dtype(ElementType type);

/// Reads the header and checks each entry against `buffer_size`, and that the
/// entries tile the buffer. Throws IoError beginning with `file_name`.
SafetensorsHeader parse_safetensors_header(std::string_view json,
                                           std::size_t buffer_size,
                                           const std::string& file_name);

/// The header as JSON, padded with spaces to a multiple of 8 bytes.
std::string safetensors_json(const SafetensorsHeader& header);

}  // namespace sbog::detail
