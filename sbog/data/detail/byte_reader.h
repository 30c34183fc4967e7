// SPDX-License-Identifier: Apache-2.0
// A cursor over bytes from a file that cannot read past their end.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::detail {

/// The value with its bytes in the opposite order.
template <std::unsigned_integral U>
U reverse_bytes(U value) {
  U out = 0;
  for (std::size_t i = 0; i < sizeof(U); ++i) {
    out = static_cast<U>(
        out | (((value >> (8 * i)) & 0xFF) << (8 * (sizeof(U) - 1 - i))));
  }
  return out;
}

/// Reads forward; every read past the end is an IoError that begins with
/// `name` and says what the file ends inside of.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}

  /// The next `count` bytes.
  std::span<const std::byte> take(std::size_t count, const char* what) {
    if (count > remaining()) {
      throw IoError(name_, std::string("the file ends inside the ") + what);
    }
    const auto out = bytes_.subspan(position_, count);
    position_ += count;
    return out;
  }

  /// The next unsigned integer, least significant byte first.
  template <std::unsigned_integral U>
  U little(const char* what) {
    return integer<U>(std::endian::little, what);
  }

  /// The next unsigned integer, most significant byte first.
  template <std::unsigned_integral U>
  U big(const char* what) {
    return integer<U>(std::endian::big, what);
  }

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }

 private:
  template <std::unsigned_integral U>
  U integer(std::endian order, const char* what) {
    U value;
    std::memcpy(&value, take(sizeof(U), what).data(), sizeof(U));
    return order == std::endian::native ? value : reverse_bytes(value);
  }

  std::span<const std::byte> bytes_;
  std::string name_;
  std::size_t position_ = 0;
};

}  // namespace sbog::detail
