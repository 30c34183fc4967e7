// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/safetensors_header.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/checked_size.h"
#include "sbog/data/detail/json_tree.h"
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
  HeaderParser(std::size_t buffer_size, const std::string& file_name)
      : buffer_size_(buffer_size), file_name_(file_name) {}

  SafetensorsHeader parse(std::string_view text) {
    const JsonValue root = parse_json(text, file_name_);
    for (const auto& value : root.members(file_name_, "the header")) {
      if (value.key == kMetadataKey) {
        metadata(value);
      } else {
        tensor(value);
      }
    }
    if (header_.tensors.size() > kMaxTensors) {
      throw IoError(file_name_, "holds more than 65,536 tensors");
    }
    check_tiling();
    return std::move(header_);
  }

 private:
  void metadata(const JsonValue& object) {
    const auto& values = object.members(file_name_, "the metadata");
    if (values.size() > kMaxTensors) {
      throw IoError(file_name_, "holds more than 65,536 metadata values");
    }
    for (const auto& value : values) {
      header_.metadata[value.key] =
          value.string(file_name_, "the metadata value of " + quote(value.key));
    }
  }

  void tensor(const JsonValue& object) {
    TensorEntry entry;
    entry.name = object.key;
    const auto what = [&](const char* field) {
      return field + (" of the tensor " + quote(entry.name));
    };
    const auto& fields = object.members(file_name_, what("the entry"));
    for (const auto& field : fields) {
      if (field.key == "dtype") {
        entry.type = dtype(field.string(file_name_, what("the dtype")), entry);
      } else if (field.key == "shape") {
        entry.shape = integers(field, what("the shape"));
      } else if (field.key == "data_offsets") {
        offsets(integers(field, what("the place")), entry);
      } else {
        refuse(entry.name, "has the unknown field " + quote(field.key));
      }
    }
    // Keys are distinct, so three known fields are all of them.
    if (fields.size() != 3) {
      refuse(entry.name, "lacks dtype, shape or data_offsets");
    }
    check_range(entry);
    header_.tensors.push_back(std::move(entry));
  }

  ElementType dtype(const std::string& text, const TensorEntry& entry) const {
    for (const auto& [known, type] : kTypes) {
      if (known == text) return type;
    }
    refuse(entry.name, "has the dtype " + quote(text) +
                           "; F64, F32, F16, BF16, I64, I32, U8 and BOOL are "
                           "accepted");
  }

  std::vector<std::size_t> integers(const JsonValue& array,
                                    const std::string& what) const {
    std::vector<std::size_t> out;
    for (const auto& element : array.elements(file_name_, what)) {
      out.push_back(element.integer(file_name_, "an element of " + what));
    }
    return out;
  }

  void offsets(const std::vector<std::size_t>& pair, TensorEntry& entry) const {
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
  return HeaderParser(buffer_size, file_name).parse(json);
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
