// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/safetensors_header.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/checked_size.h"
#include "sbog/data/detail/json_reader.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

constexpr std::array<std::pair<std::string_view, ElementType>, 8> kTypes = {{
    {"F64", ElementType::kFloat64},
    {"F32", ElementType::kFloat32},
    {"F16", ElementType::kFloat16},
    {"BF16", ElementType::kBFloat16},
    {"I64", ElementType::kInt64},
    {"I32", ElementType::kInt32},
    {"U8", ElementType::kUInt8},
    {"BOOL", ElementType::kBool},
}};

class HeaderParser {
 public:
  HeaderParser(std::string_view json, std::size_t buffer_size,
               const std::string& file_name)
      : json_(json, file_name),
        buffer_size_(buffer_size),
        file_name_(file_name) {}

  SafetensorsHeader parse() {
    json_.object(kMaxTensors + 1, [&](const std::string& key) {
      if (key == kMetadataKey) {
        metadata();
      } else {
        tensor(key);
      }
    });
    json_.expect_end();
    if (header_.tensors.size() > kMaxTensors) {
      throw IoError(file_name_, "holds more than 65,536 tensors");
    }
    check_tiling();
    return std::move(header_);
  }

 private:
  void metadata() {
    json_.object(kMaxTensors, [&](const std::string& key) {
      header_.metadata[key] = json_.string();
    });
  }

  void tensor(const std::string& name) {
    TensorEntry entry;
    entry.name = name;
    int fields = 0;
    json_.object(3, [&](const std::string& key) {
      ++fields;
      if (key == "dtype") {
        entry.type = dtype(name);
      } else if (key == "shape") {
        entry.shape = integers(kMaxTensorRank);
      } else if (key == "data_offsets") {
        offsets(entry);
      } else {
        refuse(name, "has the unknown field " + quote(key));
      }
    });
    // Keys are distinct, so three known fields are all of them.
    if (fields != 3) refuse(name, "lacks dtype, shape or data_offsets");
    check_range(entry);
    header_.tensors.push_back(std::move(entry));
  }

  ElementType dtype(const std::string& name) {
    const std::string text = json_.string();
    for (const auto& [known, type] : kTypes) {
      if (known == text) return type;
    }
    refuse(name, "has the dtype " + quote(text) +
                     "; F64, F32, F16, BF16, I64, I32, U8 and BOOL are "
                     "accepted");
  }

  std::vector<std::size_t> integers(std::size_t max_count) {
    std::vector<std::size_t> out;
    json_.array(max_count, [&] { out.push_back(json_.integer()); });
    return out;
  }

  void offsets(TensorEntry& entry) {
    const auto pair = integers(2);
    if (pair.size() != 2) {
      refuse(entry.name, "has data_offsets that are not [begin, end]");
    }
    entry.begin = pair[0];
    entry.end = pair[1];
  }

  void check_range(const TensorEntry& entry) const {
    const auto bytes =
        checked_byte_count(entry.shape, element_size(entry.type));
    if (!bytes) {
      refuse(entry.name, "has the shape " + shape_text(entry.shape) +
                             ", which is larger than any memory");
    }
    if (entry.begin > entry.end || entry.end > buffer_size_) {
      refuse(entry.name, "lies outside the " + std::to_string(buffer_size_) +
                             " bytes of the buffer");
    }
    if (entry.end - entry.begin != *bytes) {
      refuse(entry.name, "spans " + std::to_string(entry.end - entry.begin) +
                             " bytes, but its shape " +
                             shape_text(entry.shape) + " takes " +
                             std::to_string(*bytes));
    }
  }

  // Sorted by place, each tensor must begin where the one before it ends.
  void check_tiling() const {
    std::vector<const TensorEntry*> sorted;
    for (const auto& entry : header_.tensors) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
      return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
    });
    std::size_t position = 0;
    for (const auto* entry : sorted) {
      if (entry->begin < position) {
        refuse(entry->name, "overlaps another tensor");
      }
      if (entry->begin > position) {
        refuse(entry->name, "begins after a gap of " +
                                std::to_string(entry->begin - position) +
                                " bytes");
      }
      position = entry->end;
    }
    if (position != buffer_size_) {
      throw IoError(file_name_, std::to_string(buffer_size_ - position) +
                                    " bytes follow the last tensor");
    }
  }

  [[noreturn]] void refuse(const std::string& name,
                           const std::string& what) const {
    throw IoError(file_name_, "the tensor " + quote(name) + " " + what);
  }

  JsonReader json_;
  std::size_t buffer_size_;
  const std::string& file_name_;
  SafetensorsHeader header_;
};

}  // namespace

std::optional<std::string_view> safetensors_dtype(ElementType type) {
  for (const auto& [text, known] : kTypes) {
    if (known == type) return text;
  }
  return {};
}

SafetensorsHeader parse_safetensors_header(std::string_view json,
                                           std::size_t buffer_size,
                                           const std::string& file_name) {
  if (!json.starts_with('{')) {
    throw IoError(file_name,
                  "the safetensors header does not begin with a brace");
  }
  return HeaderParser(json, buffer_size, file_name).parse();
}

std::string safetensors_json(const SafetensorsHeader& header) {
  std::string out = "{";
  const auto separate = [&out](char opening) {
    if (out.back() != opening) out += ',';
  };
  if (!header.metadata.empty()) {
    out += json_string(kMetadataKey) + ":{";
    for (const auto& [key, value] : header.metadata) {
      separate('{');
      out += json_string(key) + ":" + json_string(value);
    }
    out += '}';
  }
  for (const auto& entry : header.tensors) {
    separate('{');
    out += json_string(entry.name) + ":{\"dtype\":\"";
    out += safetensors_dtype(entry.type).value();
    out += "\",\"shape\":[";
    for (const std::size_t extent : entry.shape) {
      separate('[');
      out += std::to_string(extent);
    }
    out += "],\"data_offsets\":[" + std::to_string(entry.begin) + "," +
           std::to_string(entry.end) + "]}";
  }
  out += '}';
  out.append((8 - out.size() % 8) % 8, ' ');
  return out;
}

}  // namespace sbog::detail
