// SPDX-License-Identifier: Apache-2.0
// Streamed decompression that trusts no claimed size, and gzip by zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "sbog/data/detail/mapped_file.h"

namespace sbog::detail {

/// Bytes that come out one after the other. Damage and truncation are IoErrors
/// that begin with the name.
class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::string& name() const { return name_; }

  /// Fills `out` and returns its size; returns less only at the end.
  virtual std::size_t read(std::span<std::byte> out) = 0;

  /// Checks that the stream ends here and that nothing follows it.
  virtual void expect_end() = 0;

 protected:
  /// The first half of expect_end: nothing more comes out.
  void expect_no_more();

 private:
  std::string name_;
};

/// Decompresses a gzip stream that lies in memory.
class GzipSource : public ByteSource {
 public:
  GzipSource(std::span<const std::byte> compressed, const std::string& name);
  ~GzipSource() override;

  std::size_t read(std::span<std::byte> out) override;
  void expect_end() override;

 private:
  struct State;
  void refill();
  bool step();

  std::span<const std::byte> input_;
  std::unique_ptr<State> state_;
};

/// All of a stream that is claimed to hold exactly `expected` bytes, of which
/// at most `max_bytes` are accepted. Memory grows with what really comes out,
/// never ahead of it by more than a factor of two, and reading stops as soon as
/// the claim is exceeded.
FileBytes read_exactly(ByteSource& source, std::size_t expected,
                       std::uint64_t max_bytes);

/// CRC-32 as zip and gzip define it.
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace sbog::detail
