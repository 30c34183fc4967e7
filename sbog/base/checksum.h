// SPDX-License-Identifier: Apache-2.0
// The checksum of files and runs: XXH3 with 64 bits. It finds damage, it is no
// protection against forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct XXH3_state_s;

namespace sbog {

/// A running checksum: update() with the bytes in order, digest() at any time.
class Checksum {
 public:
  Checksum();
  /// Adds `size` bytes; how the bytes are cut into calls does not matter.
  void update(const void* data, std::size_t size);
  /// The checksum of all bytes so far.
  std::uint64_t digest() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// The checksum of bytes in memory.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// Sixteen lower-case hexadecimal digits.
std::string checksum_hex(std::uint64_t value);

}  // namespace sbog
