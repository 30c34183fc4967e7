// SPDX-License-Identifier: Apache-2.0
// The directory of a zip file, zip64 included, read from memory.
//
//   local header, data     per member
//   central directory      one record per member, the truth about sizes
//   [zip64 end record, zip64 locator]
//   end record             up to 65,535 bytes of comment may follow
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sbog::detail {

/// One member as the central directory describes it.
struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header_offset = 0;
};

/// All members in directory order. Throws IoError for a damaged directory,
/// for more than 65,536 members and for two members of one name.
std::vector<ZipMember> read_zip_directory(std::span<const std::byte> bytes,
                                          const std::string& name);

/// The data of a member as they lie in the file. Throws IoError when the local
/// header disagrees with the directory, or when the member is encrypted,
/// neither stored nor deflated, or not inside the file.
std::span<const std::byte> zip_member_data(std::span<const std::byte> bytes,
                                           const ZipMember& member,
                                           const std::string& name);

}  // namespace sbog::detail
