// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sbog/base/atomic_file.h"
#include "sbog/base/byte_text.h"
#include "sbog/base/errors.h"
#include "sbog/data/check_finite.h"
#include "sbog/data/detail/byte_reader.h"
#include "sbog/data/detail/element_layout.h"
#include "sbog/data/detail/json_tree.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/data/detail/safetensors_header.h"
#include "sbog/data/detail/text.h"

namespace sbog {
namespace {

using detail::FileBytes;
using detail::JsonValue;
using detail::SafetensorsHeader;
using detail::TensorEntry;

constexpr std::size_t kMaxHeaderOfAll = 100'000'000;
constexpr std::size_t kMaxIndex = std::size_t{16} << 20;
constexpr bool kIsBig = std::endian::native == std::endian::big;

struct Opened {
  SafetensorsHeader header;
  FileBytes buffer;
};

Opened open_file(const FileBytes& file, const SafetensorsOptions& options) {
  detail::ByteReader reader(file.bytes, file.name);
  const auto length = reader.little<std::uint64_t>("safetensors header size");
  const std::size_t limit = std::min(options.max_header_bytes, kMaxHeaderOfAll);
  if (length > limit) {
    throw IoError(file.name, "the safetensors header claims " +
                                 std::to_string(length) + " bytes; at most " +
                                 std::to_string(limit) + " are accepted");
  }
  const auto json = reader.take(length, "safetensors header");
  Opened opened;
  opened.header = detail::parse_safetensors_header(
      detail::as_text(json), reader.remaining(), file.name);
  opened.buffer = file;
  opened.buffer.bytes = file.bytes.subspan(reader.position());
  return opened;
}

Array take_tensor(const FileBytes& buffer, const TensorEntry& entry,
                  const SafetensorsOptions& options) {
  FileBytes slice = buffer;
  slice.name += ':';
  slice.name += detail::printable(entry.name);
  slice.bytes = buffer.bytes.subspan(entry.begin, entry.end - entry.begin);
  Array array =
      detail::take_array(slice, {entry.type, kIsBig, false, entry.shape, 0});
  if (options.requires_finite) check_finite(array, array.name());
  return array;
}

SafetensorsFile take_all(const FileBytes& file,
                         const SafetensorsOptions& options) {
  Opened opened = open_file(file, options);
  SafetensorsFile out;
  out.name = file.name;
  for (const auto& [key, value] : opened.header.metadata) {
    out.metadata[stored_bytes(key)] = stored_bytes(value);
  }
  for (const auto& entry : opened.header.tensors) {
    out.tensors.push_back(
        {entry.name, take_tensor(opened.buffer, entry, options)});
  }
  return out;
}

void check_text(const std::string& text, const char* what) {
  const bool is_usable =
      text.size() <= detail::kMaxJsonString && detail::is_utf8(text);
  if (is_usable) return;
  throw InvalidArgument(std::string("write_safetensors: the ") + what + " " +
                        detail::quote(text) +
                        " is not UTF-8 of at most 1024 bytes");
}

void check_entry(const NamedArray& tensor) {
  check_text(tensor.name, "tensor name");
  const std::string where =
      "write_safetensors: the tensor " + detail::quote(tensor.name);
  if (tensor.name == detail::kMetadataKey) {
    throw InvalidArgument(where + " has a reserved name");
  }
  if (!detail::safetensors_dtype(tensor.array.type())) {
    throw InvalidArgument(where + " has the type " +
                          to_string(tensor.array.type()) +
                          ", which the format does not have");
  }
  if (tensor.array.shape().size() > detail::kMaxTensorRank) {
    throw InvalidArgument(where + " has a rank above 8");
  }
}

SafetensorsHeader plan_file(
    std::span<const NamedArray> tensors,
    const std::map<std::string, std::string>& metadata) {
  if (tensors.size() > detail::kMaxTensors) {
    throw InvalidArgument(
        "write_safetensors: at most 65,536 tensors are expected, not " +
        std::to_string(tensors.size()));
  }
  SafetensorsHeader header;
  for (const auto& [key, value] : metadata) {
    header.metadata[stored_text(key)] = stored_text(value);
  }
  for (const auto& [key, value] : header.metadata) {
    check_text(key, "metadata key");
    check_text(value, "metadata value");
  }
  std::set<std::string> names;
  std::size_t position = 0;
  for (const auto& tensor : tensors) {
    check_entry(tensor);
    if (!names.insert(tensor.name).second) {
      throw InvalidArgument("write_safetensors: the tensor name " +
                            detail::quote(tensor.name) + " appears twice");
    }
    const std::size_t end = position + tensor.array.byte_count();
    header.tensors.push_back({tensor.name, tensor.array.type(),
                              tensor.array.shape(), position, end});
    position = end;
  }
  return header;
}

void write_tensor(AtomicFile& file, const Array& array) {
  if (array.byte_count() == 0) return;
  if constexpr (!kIsBig) {
    file.write(array.bytes(), array.byte_count());
  } else {
    const std::size_t size = element_size(array.type());
    for (std::size_t i = 0; i < array.size(); ++i) {
      std::array<std::byte, 8> element;
      std::reverse_copy(array.bytes() + i * size,
                        array.bytes() + (i + 1) * size, element.begin());
      file.write(element.data(), size);
    }
  }
}

void check_tensor(const SafetensorsFile& file, const ExpectedTensor& expected,
                  const Array& array) {
  if (array.type() == expected.type && array.shape() == expected.shape) return;
  throw IoError(file.name, "the tensor " + detail::quote(expected.name) +
                               " is " + to_string(array.type()) + " " +
                               detail::shape_text(array.shape()) + "; " +
                               to_string(expected.type) + " " +
                               detail::shape_text(expected.shape) +
                               " is expected");
}

bool is_bare_file_name(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    return c == '/' || c == '\\' || c == ':' ||
           static_cast<unsigned char>(c) < 0x20;
  });
}

// Metadata is of no use here, but must be plain: strings and integers.
void check_index_metadata(const JsonValue& object, const std::string& name) {
  for (const auto& value : object.members(name, "the metadata")) {
    if (value.kind == JsonValue::Kind::kInteger) continue;
    value.string(name, "the metadata value of " + detail::quote(value.key));
  }
}

SafetensorsIndex weight_map(const JsonValue& object, const std::string& name) {
  SafetensorsIndex out;
  for (const auto& value : object.members(name, "the weight_map")) {
    const std::string tensor = "the tensor " + detail::quote(value.key);
    const std::string& shard = value.string(name, "the file of " + tensor);
    if (!is_bare_file_name(shard)) {
      throw IoError(name, tensor + " is placed in " + detail::quote(shard) +
                              "; a bare file name is expected");
    }
    out[value.key] = shard;
  }
  return out;
}

}  // namespace

SafetensorsFile read_safetensors(const std::string& path,
                                 const SafetensorsOptions& options) {
  return take_all(detail::map_file(path), options);
}

Array read_safetensors(const std::string& path, const std::string& name,
                       const SafetensorsOptions& options) {
  const Opened opened = open_file(detail::map_file(path), options);
  std::vector<std::string> names;
  for (const auto& entry : opened.header.tensors) {
    if (entry.name == name) return take_tensor(opened.buffer, entry, options);
    names.push_back(entry.name);
  }
  throw IoError(path, "has no tensor " + detail::quote(name) + "; it has " +
                          detail::name_list(names));
}

SafetensorsFile parse_safetensors(std::span<const std::byte> bytes,
                                  const std::string& name,
                                  const SafetensorsOptions& options) {
  return take_all({name, bytes, nullptr}, options);
}

void check_tensors(const SafetensorsFile& file,
                   std::span<const ExpectedTensor> expected,
                   std::span<const std::string> allowed_extra) {
  std::unordered_map<std::string, const Array*> present;
  for (const auto& tensor : file.tensors) {
    present.emplace(tensor.name, &tensor.array);
  }
  for (const auto& wanted : expected) {
    const auto found = present.find(wanted.name);
    if (found == present.end()) {
      throw IoError(file.name,
                    "the tensor " + detail::quote(wanted.name) + " is missing");
    }
    check_tensor(file, wanted, *found->second);
    present.erase(found);
  }
  for (const auto& name : allowed_extra) present.erase(name);
  for (const auto& tensor : file.tensors) {  // in the order of the file
    if (!present.contains(tensor.name)) continue;
    throw IoError(file.name, "the tensor " + detail::quote(tensor.name) +
                                 " is not expected");
  }
}

void write_safetensors(const std::string& path,
                       std::span<const NamedArray> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string json =
      detail::safetensors_json(plan_file(tensors, metadata));
  AtomicFile file(path);
  std::array<char, 8> length;
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<char>((json.size() >> (8 * i)) & 0xFF);
  }
  file.write(length.data(), length.size());
  file.write(json);
  for (const auto& tensor : tensors) write_tensor(file, tensor.array);
  file.commit();
}

SafetensorsIndex parse_safetensors_index(std::span<const std::byte> bytes,
                                         const std::string& name) {
  if (bytes.size() > kMaxIndex) {
    throw IoError(name, "is longer than the 16 MiB accepted for an index");
  }
  const JsonValue root = detail::parse_json(detail::as_text(bytes), name,
                                            {.members = detail::kMaxTensors});
  SafetensorsIndex out;
  bool has_map = false;
  for (const auto& value : root.members(name, "the index")) {
    if (value.key == "metadata") {
      check_index_metadata(value, name);
    } else if (value.key == "weight_map") {
      out = weight_map(value, name);
      has_map = true;
    } else {
      throw IoError(
          name, "the index has the unknown key " + detail::quote(value.key));
    }
  }
  if (!has_map) throw IoError(name, "the index has no 'weight_map'");
  return out;
}

SafetensorsIndex read_safetensors_index(const std::string& path) {
  return parse_safetensors_index(detail::map_file(path).bytes, path);
}

}  // namespace sbog
