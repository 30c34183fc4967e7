// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/idx.h"

#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/data/detail/byte_reader.h"
#include "sbog/data/detail/checked_size.h"
#include "sbog/data/detail/element_layout.h"
#include "sbog/data/detail/inflate.h"
#include "sbog/data/detail/mapped_file.h"

namespace sbog {
namespace {

using detail::FileBytes;

constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kMaxHeader = 4 + 4 * kMaxRank;

ElementType element_type(std::uint8_t code, const std::string& name) {
  switch (code) {
    case 0x08:
      return ElementType::kUInt8;
    case 0x09:
      return ElementType::kInt8;
    case 0x0B:
      return ElementType::kInt16;
    case 0x0C:
      return ElementType::kInt32;
    case 0x0D:
      return ElementType::kFloat32;
    case 0x0E:
      return ElementType::kFloat64;
    default:
      throw IoError(name, "the idx element type " + std::to_string(code) +
                              " is unknown; 8, 9, 11, 12, 13 and 14 are "
                              "accepted");
  }
}

detail::ElementLayout parse_header(std::span<const std::byte> bytes,
                                   const std::string& name) {
  detail::ByteReader reader(bytes, name);
  if (reader.big<std::uint16_t>("idx magic") != 0) {
    throw IoError(name, "is not an idx file: it does not begin with two zeros");
  }
  detail::ElementLayout layout;
  layout.type = element_type(reader.big<std::uint8_t>("idx magic"), name);
  layout.swaps_bytes = std::endian::native == std::endian::little;
  const auto rank = reader.big<std::uint8_t>("idx magic");
  if (rank < 1 || rank > kMaxRank) {
    throw IoError(name, "the idx rank is " + std::to_string(rank) +
                            "; 1 to 8 is expected");
  }
  for (std::size_t k = 0; k < rank; ++k) {
    layout.shape.push_back(reader.big<std::uint32_t>("idx extents"));
  }
  layout.offset = reader.position();
  return layout;
}

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} &&
         bytes[1] == std::byte{0x8B};
}

std::size_t claimed_size(const FileBytes& file) {
  detail::GzipSource source(file.bytes, file.name);
  std::vector<std::byte> head(kMaxHeader);
  head.resize(source.read(head));
  const auto layout = parse_header(head, file.name);
  const std::size_t elements = detail::layout_byte_count(layout, file.name);
  const auto total = detail::checked_add(layout.offset, elements);
  if (!total) throw IoError(file.name, "the idx header claims too many bytes");
  return *total;
}

FileBytes inflate_file(const FileBytes& file, std::uint64_t max_bytes) {
  const std::size_t claim = claimed_size(file);
  detail::GzipSource source(file.bytes, file.name);
  return detail::read_exactly(source, claim, max_bytes);
}

Array idx_array(const FileBytes& file, std::uint64_t max_bytes) {
  const FileBytes plain =
      is_gzip(file.bytes) ? inflate_file(file, max_bytes) : file;
  return detail::take_array(plain, parse_header(plain.bytes, plain.name));
}

}  // namespace

Array read_idx(const std::string& path, std::uint64_t max_inflated_bytes) {
  return idx_array(detail::map_file(path), max_inflated_bytes);
}

Array parse_idx(std::span<const std::byte> bytes, const std::string& name,
                std::uint64_t max_inflated_bytes) {
  return idx_array({name, bytes, nullptr}, max_inflated_bytes);
}

}  // namespace sbog
