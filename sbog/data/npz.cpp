// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/npz.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/checked_size.h"
#include "sbog/data/detail/inflate.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/data/detail/npy_format.h"
#include "sbog/data/detail/text.h"
#include "sbog/data/detail/zip_directory.h"

namespace sbog {
namespace {

using detail::DeflateFormat;
using detail::FileBytes;
using detail::ZipMember;

constexpr std::string_view kExtension = ".npy";

std::string_view bare_name(const ZipMember& member) {
  std::string_view name = member.name;
  name.remove_suffix(kExtension.size());
  return name;
}

std::vector<ZipMember> npy_members(const FileBytes& file) {
  auto members = detail::read_zip_directory(file.bytes, file.name);
  std::erase_if(members, [](const ZipMember& member) {
    return !member.name.ends_with(kExtension);
  });
  return members;
}

std::vector<std::string> names_of(const std::vector<ZipMember>& members) {
  std::vector<std::string> names(members.size());
  std::transform(members.begin(), members.end(), names.begin(), bare_name);
  return names;
}

// The size that the npy header inside the compressed data claims.
std::size_t claimed_size(std::span<const std::byte> compressed,
                         const std::string& name) {
  detail::Inflater inflater(compressed, DeflateFormat::kRaw, name);
  std::vector<std::byte> head(detail::kNpyPreamble);
  head.resize(inflater.read(head));
  const std::size_t offset = detail::npy_data_offset(head, name);
  const std::size_t known = head.size();
  if (offset > known) {
    head.resize(offset);
    head.resize(known + inflater.read(std::span(head).subspan(known)));
  }
  const auto layout = detail::parse_npy_header(head, name);
  const std::size_t elements = detail::layout_byte_count(layout, name);
  const auto total = detail::checked_add(offset, elements);
  if (!total) throw IoError(name, "the npy header claims too many bytes");
  return *total;
}

FileBytes inflate_member(std::span<const std::byte> compressed,
                         const ZipMember& member, const std::string& name,
                         std::uint64_t max_bytes) {
  const std::size_t claim = claimed_size(compressed, name);
  if (claim != member.size) {
    throw IoError(name, "the npy header claims " + std::to_string(claim) +
                            " bytes and the zip directory " +
                            std::to_string(member.size));
  }
  if (claim > max_bytes) {
    throw IoError(name, "decompresses to " + std::to_string(claim) +
                            " bytes; the limit is " +
                            std::to_string(max_bytes));
  }
  auto data = std::make_shared<std::vector<std::byte>>(
      detail::inflate_exactly(compressed, DeflateFormat::kRaw, claim, name));
  const std::span<const std::byte> view = *data;
  return {name, view, std::move(data)};
}

Array read_member(const FileBytes& file, const ZipMember& member,
                  std::uint64_t max_bytes) {
  const std::string name =
      file.name + ":" + detail::printable(bare_name(member));
  const auto data = detail::zip_member_data(file.bytes, member, name);
  const FileBytes plain =
      member.method == 0 ? FileBytes{name, data, file.owner, file.is_mapped}
                         : inflate_member(data, member, name, max_bytes);
  if (detail::crc32(plain.bytes) != member.crc) {
    throw IoError(name, "the checksum does not match; the file is damaged");
  }
  return detail::npy_array(plain);
}

}  // namespace

std::vector<std::string> npz_members(const std::string& path) {
  return names_of(npy_members(detail::map_file(path)));
}

Array read_npz(const std::string& path, const std::string& member,
               std::uint64_t max_inflated_bytes) {
  const FileBytes file = detail::map_file(path);
  const auto members = npy_members(file);
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const ZipMember& m) {
        return m.name == member || bare_name(m) == member;
      });
  if (found == members.end()) {
    throw IoError(path, "has no member " + detail::quote(member) + "; it has " +
                            detail::name_list(names_of(members)));
  }
  return read_member(file, *found, max_inflated_bytes);
}

std::vector<NamedArray> parse_npz(std::span<const std::byte> bytes,
                                  const std::string& name,
                                  std::uint64_t max_inflated_bytes) {
  const FileBytes file{name, bytes, nullptr};
  std::uint64_t left = max_inflated_bytes;
  std::vector<NamedArray> out;
  for (const auto& member : npy_members(file)) {
    out.push_back(
        {std::string(bare_name(member)), read_member(file, member, left)});
    left -= std::min<std::uint64_t>(left, member.size);
  }
  return out;
}

}  // namespace sbog
