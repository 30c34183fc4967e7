// SPDX-License-Identifier: Apache-2.0
// The plainest writer of zip files, which only the tests need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/deflate.h"
#include "data/support.h"
#include "sbog/data/detail/inflate.h"

namespace sbog::testing_support {

struct ZipContent {
  std::string name;
  std::string data;
  bool is_deflated = false;
};

/// A zip file of the members in order.
inline std::string zip_file(const std::vector<ZipContent>& members) {
  constexpr auto kLittle = std::endian::little;
  std::string file;
  std::string directory;
  const auto u16 = [](std::string& out, std::size_t value) {
    append_value(out, static_cast<std::uint16_t>(value), kLittle);
  };
  const auto u32 = [](std::string& out, std::size_t value) {
    append_value(out, static_cast<std::uint32_t>(value), kLittle);
  };
  for (const auto& member : members) {
    const std::string packed =
        member.is_deflated ? deflated(member.data, -15) : member.data;
    std::string common;
    u16(common, 20);  // version needed
    u16(common, 0);   // flags
    u16(common, member.is_deflated ? 8 : 0);
    u32(common, 0);  // time and date
    u32(common, detail::crc32(bytes_of(member.data)));
    u32(common, packed.size());
    u32(common, member.data.size());
    u16(common, member.name.size());
    u16(common, 0);  // extra field
    directory += "PK\x01\x02";
    u16(directory, 20);
    directory += common;
    directory += std::string(10, '\0');
    u32(directory, file.size());
    directory += member.name;
    file += "PK\x03\x04";
    file += common;
    file += member.name;
    file += packed;
  }
  const std::size_t offset = file.size();
  file += directory;
  file += "PK\x05\x06";
  u32(file, 0);
  u16(file, members.size());
  u16(file, members.size());
  u32(file, directory.size());
  u32(file, offset);
  u16(file, 0);
  return file;
}

}  // namespace sbog::testing_support
