// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/npz.h"

#include <algorithm>
#include <string_view>

#include "sbog/base/errors.h"
#include "sbog/data/detail/checked_size.h"
#include "sbog/data/detail/inflate.h"
#include "sbog/data/detail/mapped_file.h"
#include "sbog/data/detail/npy_format.h"
#include "sbog/data/detail/text.h"
#include "sbog/data/detail/zip_archive.h"

namespace sbog {
namespace {

using detail::ByteSource;
using detail::FileBytes;
using detail::ZipArchive;
using detail::ZipMember;

constexpr std::string_view kExtension = ".npy";

std::string_view bare_name(const ZipMember& member) {
  std::string_view name = member.name;
  name.remove_suffix(kExtension.size());
  return name;
}

std::vector<ZipMember> npy_members(const ZipArchive& archive) {
  auto members = archive.members();
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

// The size that the npy header at the front of the source claims.
std::size_t claimed_size(ByteSource& source) {
  const std::string& name = source.name();
  std::vector<std::byte> head(detail::kNpyPreamble);
  head.resize(source.read(head));
  const std::size_t offset = detail::npy_data_offset(head, name);
  const std::size_t known = head.size();
  if (offset > known) {
    head.resize(offset);
    head.resize(known + source.read(std::span(head).subspan(known)));
  }
  const auto layout = detail::parse_npy_header(head, name);
  const std::size_t elements = detail::layout_byte_count(layout, name);
  const auto total = detail::checked_add(offset, elements);
  if (!total) throw IoError(name, "the npy header claims too many bytes");
  return *total;
}

FileBytes inflate_member(const ZipArchive& archive, const ZipMember& member,
                         const std::string& name, std::uint64_t max_bytes) {
  const std::size_t claim = claimed_size(*archive.open(member, name));
  if (claim != member.size) {
    throw IoError(name, "the npy header claims " + std::to_string(claim) +
                            " bytes and the zip directory " +
                            std::to_string(member.size));
  }
  return detail::read_exactly(*archive.open(member, name), claim, max_bytes);
}

Array read_member(const FileBytes& file, const ZipArchive& archive,
                  const ZipMember& member, std::uint64_t max_bytes) {
  const std::string name =
      file.name + ":" + detail::printable(bare_name(member));
  if (member.method != 0) {
    return detail::npy_array(inflate_member(archive, member, name, max_bytes));
  }
  return detail::npy_array(
      {name, archive.stored_data(member, name), file.owner, file.is_mapped});
}

}  // namespace

std::vector<std::string> npz_members(const std::string& path) {
  const FileBytes file = detail::map_file(path);
  return names_of(npy_members(ZipArchive(file.bytes, file.name)));
}

Array read_npz(const std::string& path, const std::string& member,
               std::uint64_t max_inflated_bytes) {
  const FileBytes file = detail::map_file(path);
  const ZipArchive archive(file.bytes, file.name);
  const auto members = npy_members(archive);
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const ZipMember& m) {
        return m.name == member || bare_name(m) == member;
      });
  if (found == members.end()) {
    throw IoError(path, "has no member " + detail::quote(member) + "; it has " +
                            detail::name_list(names_of(members)));
  }
  return read_member(file, archive, *found, max_inflated_bytes);
}

std::vector<NamedArray> parse_npz(std::span<const std::byte> bytes,
                                  const std::string& name,
                                  std::uint64_t max_inflated_bytes) {
  const FileBytes file{name, bytes, nullptr};
  const ZipArchive archive(bytes, name);
  std::uint64_t left = max_inflated_bytes;
  std::vector<NamedArray> out;
  for (const auto& member : npy_members(archive)) {
    out.push_back({std::string(bare_name(member)),
                   read_member(file, archive, member, left)});
    left -= std::min<std::uint64_t>(left, member.size);
  }
  return out;
}

}  // namespace sbog
