// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, mapped read-only, and who keeps them alive.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sbog::detail {

/// Bytes to parse. With an owner, results may look into the bytes and keep
/// the owner; without one the bytes are borrowed and results must copy.
struct FileBytes {
  std::string name;                   ///< begins every message
  std::span<const std::byte> bytes;   ///< the whole file
  std::shared_ptr<const void> owner;  ///< null when borrowed
  bool is_mapped = false;             ///< the bytes lie in a mapped file

  /// `count` bytes from `offset`, which must lie inside: shared when there is
  /// an owner, otherwise copied.
  std::shared_ptr<const std::byte> share(std::size_t offset,
                                         std::size_t count) const;
};

/// Uninitialised bytes, 64-byte aligned.
std::shared_ptr<std::byte> allocate_bytes(std::size_t count);

/// Maps a regular file. Throws IoError for anything else (missing, unreadable,
/// a directory, a pipe). The mapping is private and read-only; cutting the
/// file short while it is mapped is outside what can be caught here.
FileBytes map_file(const std::string& path);

}  // namespace sbog::detail
