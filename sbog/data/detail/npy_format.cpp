// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/npy_format.h"

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/byte_reader.h"
#include "sbog/data/detail/python_literal.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 64;

constexpr std::array<std::pair<std::string_view, ElementType>, 12> kKinds = {{
    {"f2", ElementType::kFloat16},
    {"f4", ElementType::kFloat32},
    {"f8", ElementType::kFloat64},
    {"i1", ElementType::kInt8},
    {"i2", ElementType::kInt16},
    {"i4", ElementType::kInt32},
    {"i8", ElementType::kInt64},
    {"u1", ElementType::kUInt8},
    {"u2", ElementType::kUInt16},
    {"u4", ElementType::kUInt32},
    {"u8", ElementType::kUInt64},
    {"b1", ElementType::kBool},
}};

[[noreturn]] void refuse_descr(std::string_view descr,
                               const std::string& name) {
  throw IoError(name, "the npy element type " + quote(descr) +
                          " is not supported; f2, f4, f8, i1 to i8, u1 to u8 "
                          "and b1 with byte order < or > are accepted");
}

// Fills type and swaps_bytes from a type string such as "<f4" or "|u1".
void apply_descr(std::string_view descr, const std::string& name,
                 ElementLayout& layout) {
  if (descr.size() != 3) refuse_descr(descr, name);
  const auto* kind = kKinds.begin();
  while (kind != kKinds.end() && kind->first != descr.substr(1)) ++kind;
  if (kind == kKinds.end()) refuse_descr(descr, name);
  layout.type = kind->second;
  const char order = descr[0];
  const bool has_order = order == '<' || order == '>';
  const bool needs_order = element_size(layout.type) > 1;
  if (!has_order && (needs_order || order != '|')) refuse_descr(descr, name);
  const bool is_little = std::endian::native == std::endian::little;
  layout.swaps_bytes = needs_order && (order == '<') != is_little;
}

}  // namespace

std::size_t npy_data_offset(std::span<const std::byte> preamble,
                            const std::string& name) {
  const std::string_view start = as_text(preamble).substr(0, kMagic.size());
  if (start != kMagic) {
    throw IoError(name, "is not an npy file: the magic bytes are missing");
  }
  ByteReader reader(preamble, name);
  reader.take(kMagic.size(), "npy magic");
  const auto major = reader.little<std::uint8_t>("npy version");
  const auto minor = reader.little<std::uint8_t>("npy version");
  if (major < 1 || major > 3 || minor != 0) {
    throw IoError(name, "npy version " + std::to_string(major) + "." +
                            std::to_string(minor) +
                            " is not supported; 1.0, 2.0 and 3.0 are");
  }
  const std::size_t length =
      major == 1 ? reader.little<std::uint16_t>("npy header length")
                 : reader.little<std::uint32_t>("npy header length");
  if (length > kMaxHeader) {
    throw IoError(name, "the npy header claims " + std::to_string(length) +
                            " bytes; at most 1 MiB is accepted");
  }
  return reader.position() + length;
}

ElementLayout parse_npy_header(std::span<const std::byte> bytes,
                               const std::string& name) {
  const std::size_t end =
      npy_data_offset(bytes.first(std::min(bytes.size(), kNpyPreamble)), name);
  const std::size_t begin =
      bytes[kMagic.size()] == std::byte{1} ? kNpyPreamble - 2 : kNpyPreamble;
  ByteReader reader(bytes, name);
  reader.take(begin, "npy preamble");
  const auto header = reader.take(end - begin, "npy header");
  const NpyFields fields = parse_npy_fields(as_text(header), name);
  ElementLayout layout;
  apply_descr(fields.descr, name, layout);
  layout.is_column_major = fields.fortran_order;
  layout.shape = fields.shape;
  layout.offset = end;
  return layout;
}

Array npy_array(const FileBytes& file) {
  return take_array(file, parse_npy_header(file.bytes, file.name));
}

std::string npy_header(ElementType type, std::span<const std::size_t> shape) {
  std::string_view kind;
  for (const auto& [text, candidate] : kKinds) {
    if (candidate == type) kind = text;
  }
  if (kind.empty()) {
    throw InvalidArgument(std::string("npy_header: ") + to_string(type) +
                          " has no npy element type");
  }
  const bool is_little = std::endian::native == std::endian::little;
  std::string dict = "{'descr': '";
  dict += element_size(type) == 1 ? '|' : is_little ? '<' : '>';
  dict += kind;
  dict += "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const std::size_t preamble = kNpyPreamble - 2;
  const std::size_t unpadded = preamble + dict.size() + 1;
  dict.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dict += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00'};
  out += static_cast<char>(dict.size() & 0xFF);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

}  // namespace sbog::detail
