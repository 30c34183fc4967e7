// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/zip_directory.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "sbog/base/errors.h"
#include "sbog/data/detail/byte_reader.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint16_t kZip64Extra = 0x0001;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kLocator64Size = 20;
constexpr std::size_t kMaxComment = 65535;
constexpr std::uint64_t kMaxMembers = 65536;
constexpr std::size_t kMaxName = 1024;
constexpr std::uint32_t kSaturated = 0xFFFFFFFF;

struct DirectoryPlace {
  std::uint64_t members = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::size_t end = 0;  // where the directory must stop
};

// The end record is searched from the back; its comment must reach exactly
// to the end of the file.
std::size_t find_end_record(std::span<const std::byte> bytes,
                            const std::string& name) {
  const std::size_t deepest = std::min(bytes.size(), kEndSize + kMaxComment);
  for (std::size_t back = kEndSize; back <= deepest; ++back) {
    const std::size_t at = bytes.size() - back;
    if (bytes[at] != std::byte{'P'}) continue;
    ByteReader reader(bytes.subspan(at), name);
    if (reader.little<std::uint32_t>("end record") != kEndSignature) continue;
    reader.take(16, "end record");
    const auto comment = reader.little<std::uint16_t>("end record");
    if (comment == back - kEndSize) return at;
  }
  throw IoError(name, "is not a zip file: it has no end record");
}

// The zip64 end record in front of the end record at `end`, if there is one.
std::optional<DirectoryPlace> read_end64(std::span<const std::byte> bytes,
                                         std::size_t end,
                                         const std::string& name) {
  if (end < kLocator64Size) return {};
  ByteReader locator(bytes.subspan(end - kLocator64Size), name);
  if (locator.little<std::uint32_t>("locator") != kLocator64Signature) {
    return {};
  }
  locator.take(4, "locator");
  const auto at = locator.little<std::uint64_t>("locator");
  const std::size_t limit = end - kLocator64Size;
  if (limit < kEnd64Size || at > limit - kEnd64Size) {
    throw IoError(name, "the zip64 end record lies outside the file");
  }
  ByteReader reader(bytes.subspan(at), name);
  if (reader.little<std::uint32_t>("zip64 end record") != kEnd64Signature) {
    throw IoError(name, "the zip64 end record is missing");
  }
  reader.take(28, "zip64 end record");
  DirectoryPlace place;
  place.members = reader.little<std::uint64_t>("zip64 end record");
  place.size = reader.little<std::uint64_t>("zip64 end record");
  place.offset = reader.little<std::uint64_t>("zip64 end record");
  place.end = at;
  return place;
}

DirectoryPlace find_directory(std::span<const std::byte> bytes,
                              const std::string& name) {
  const std::size_t end = find_end_record(bytes, name);
  ByteReader reader(bytes.subspan(end), name);
  reader.take(4, "end record");
  const auto disk = reader.little<std::uint16_t>("end record");
  reader.take(4, "end record");
  DirectoryPlace place;
  place.members = reader.little<std::uint16_t>("end record");
  place.size = reader.little<std::uint32_t>("end record");
  place.offset = reader.little<std::uint32_t>("end record");
  place.end = end;
  if (disk != 0 && disk != 0xFFFF) {
    throw IoError(name, "is a zip file of several parts; one is expected");
  }
  if (const auto place64 = read_end64(bytes, end, name)) place = *place64;
  // The directory reaches up to the end record; this also refuses archives
  // with something prepended, whose offsets are all wrong.
  if (place.offset > place.end || place.size != place.end - place.offset) {
    throw IoError(name, "the zip directory is not where the file says");
  }
  if (place.members > kMaxMembers) {
    throw IoError(name, "the zip file claims " + std::to_string(place.members) +
                            " members; at most 65,536 are accepted");
  }
  return place;
}

// Takes the 64-bit values that the saturated 32-bit fields stand for.
void apply_zip64(std::span<const std::byte> extra, const std::string& name,
                 ZipMember& member) {
  ByteReader fields(extra, name);
  while (fields.remaining() >= 4) {
    const auto id = fields.little<std::uint16_t>("extra field");
    const auto size = fields.little<std::uint16_t>("extra field");
    const auto body = fields.take(size, "extra field");
    if (id != kZip64Extra) continue;
    ByteReader reader(body, name);
    for (std::uint64_t* value :
         {&member.size, &member.compressed_size, &member.header_offset}) {
      if (*value == kSaturated) {
        *value = reader.little<std::uint64_t>("zip64 extra field");
      }
    }
    return;
  }
}

ZipMember read_member(ByteReader& reader, const std::string& name) {
  if (reader.little<std::uint32_t>("zip directory") != kCentralSignature) {
    throw IoError(name, "the zip directory is damaged");
  }
  ZipMember member;
  reader.take(4, "zip directory");
  member.flags = reader.little<std::uint16_t>("zip directory");
  member.method = reader.little<std::uint16_t>("zip directory");
  reader.take(4, "zip directory");
  member.crc = reader.little<std::uint32_t>("zip directory");
  member.compressed_size = reader.little<std::uint32_t>("zip directory");
  member.size = reader.little<std::uint32_t>("zip directory");
  const auto name_size = reader.little<std::uint16_t>("zip directory");
  const auto extra_size = reader.little<std::uint16_t>("zip directory");
  const auto comment_size = reader.little<std::uint16_t>("zip directory");
  reader.take(8, "zip directory");
  member.header_offset = reader.little<std::uint32_t>("zip directory");
  if (name_size > kMaxName) {
    throw IoError(name, "a member name in the zip file is too long");
  }
  member.name = as_text(reader.take(name_size, "zip member name"));
  apply_zip64(reader.take(extra_size, "zip directory"), name, member);
  reader.take(comment_size, "zip directory");
  return member;
}

void check_method(const ZipMember& member, const std::string& name) {
  if ((member.flags & 0x2041) != 0) {
    throw IoError(name, "the member " + quote(member.name) + " is encrypted");
  }
  if (member.method != 0 && member.method != 8) {
    throw IoError(name, "the member " + quote(member.name) +
                            " is compressed by method " +
                            std::to_string(member.method) +
                            "; stored and deflated are accepted");
  }
  if (member.method == 0 && member.size != member.compressed_size) {
    throw IoError(name, "the stored member " + quote(member.name) +
                            " has two different sizes");
  }
}

}  // namespace

std::vector<ZipMember> read_zip_directory(std::span<const std::byte> bytes,
                                          const std::string& name) {
  const DirectoryPlace place = find_directory(bytes, name);
  ByteReader reader(bytes.subspan(place.offset, place.size), name);
  std::vector<ZipMember> members;
  std::unordered_set<std::string> seen;
  while (members.size() < place.members) {
    members.push_back(read_member(reader, name));
    if (!seen.insert(members.back().name).second) {
      throw IoError(name, "the member " + quote(members.back().name) +
                              " is in the zip file twice");
    }
  }
  if (reader.remaining() != 0) {
    throw IoError(name, "the zip directory is longer than its members");
  }
  return members;
}

std::span<const std::byte> zip_member_data(std::span<const std::byte> bytes,
                                           const ZipMember& member,
                                           const std::string& name) {
  check_method(member, name);
  if (member.header_offset > bytes.size()) {
    throw IoError(
        name, "the member " + quote(member.name) + " begins outside the file");
  }
  ByteReader reader(bytes.subspan(member.header_offset), name);
  const auto signature = reader.little<std::uint32_t>("zip member header");
  reader.take(4, "zip member header");
  const auto method = reader.little<std::uint16_t>("zip member header");
  reader.take(16, "zip member header");
  const auto name_size = reader.little<std::uint16_t>("zip member header");
  const auto extra_size = reader.little<std::uint16_t>("zip member header");
  const auto local_name = as_text(reader.take(name_size, "zip member header"));
  reader.take(extra_size, "zip member header");
  if (signature != kLocalSignature || method != member.method ||
      local_name != member.name) {
    throw IoError(name, "the header of the member " + quote(member.name) +
                            " disagrees with the zip directory");
  }
  if (member.compressed_size > reader.remaining()) {
    throw IoError(name,
                  "the file ends inside the member " + quote(member.name));
  }
  return reader.take(static_cast<std::size_t>(member.compressed_size),
                     "zip member");
}

}  // namespace sbog::detail
