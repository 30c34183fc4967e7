// SPDX-License-Identifier: Apache-2.0
// Streamed decompression that trusts no claimed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sbog::detail {

/// What wraps the deflate data.
enum class DeflateFormat { kRaw, kGzip };

/// Decompresses from memory in the order of reading. Damage and truncation
/// are IoErrors that begin with `name`.
class Inflater {
 public:
  Inflater(std::span<const std::byte> compressed, DeflateFormat format,
           std::string name);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills `out` and returns its size; returns less only at the end.
  std::size_t read(std::span<std::byte> out);

  /// Checks that the stream ends here and that nothing follows it.
  void expect_end();

 private:
  struct State;
  void refill();
  bool step();

  std::string name_;
  std::span<const std::byte> input_;
  std::unique_ptr<State> state_;
};

/// All of a stream that is claimed to hold exactly `expected` bytes. Memory
/// grows with what really comes out, never ahead of it by more than a factor
/// of two, and decompression stops as soon as the claim is exceeded.
std::vector<std::byte> inflate_exactly(std::span<const std::byte> compressed,
                                       DeflateFormat format,
                                       std::size_t expected,
                                       const std::string& name);

/// CRC-32 as zip and gzip define it.
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace sbog::detail
