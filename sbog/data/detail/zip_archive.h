// SPDX-License-Identifier: Apache-2.0
// A zip file in memory, read by libzip. What libzip would forgive is refused
// here: a header that disagrees with the directory, two members of one name,
// encryption, other methods than stored and deflated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sbog/data/detail/inflate.h"

namespace sbog::detail {

/// One member as the directory of the archive describes it.
struct ZipMember {
  std::string name;
  std::uint64_t index = 0;   ///< place in the directory
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  bool is_encrypted = false;
  std::uint32_t crc = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
};

/// Looks into the bytes, which must outlive it. Use by one thread at a time.
class ZipArchive {
 public:
  /// Throws IoError beginning with `name` for a damaged directory, for members
  /// that disagree with it, for more than 65,536 members and for two members
  /// of one name.
  ZipArchive(std::span<const std::byte> bytes, const std::string& name);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  /// All members in the order of the directory.
  const std::vector<ZipMember>& members() const { return members_; }

  /// The data of a stored member, looking into the bytes. The checksum is
  /// verified. Throws IoError beginning with `name`.
  std::span<const std::byte> stored_data(const ZipMember& member,
                                         const std::string& name) const;

  /// A stream of what a member holds. Its end verifies size and checksum.
  /// Throws IoError beginning with `name`, at once for a member that is
  /// encrypted or neither stored nor deflated. The archive must outlive it.
  std::unique_ptr<ByteSource> open(const ZipMember& member,
                                   const std::string& name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<ZipMember> members_;
};

}  // namespace sbog::detail
