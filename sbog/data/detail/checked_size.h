// SPDX-License-Identifier: Apache-2.0
// Sizes that come from files: products and sums that cannot wrap around.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace sbog::detail {

/// a * b, or nothing when it does not fit.
inline std::optional<std::size_t> checked_multiply(std::size_t a,
                                                   std::size_t b) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b) return {};
  return a * b;
}

/// a + b, or nothing when it does not fit.
inline std::optional<std::size_t> checked_add(std::size_t a, std::size_t b) {
  if (a > std::numeric_limits<std::size_t>::max() - b) return {};
  return a + b;
}

/// Bytes of an array, or nothing when they exceed what a pointer difference
/// can express. Zero extents do not excuse the others: {0, 2^62} is refused,
/// so that no product of extents of an accepted shape can wrap around.
inline std::optional<std::size_t> checked_byte_count(
    std::span<const std::size_t> shape, std::size_t element_size) {
  constexpr std::size_t kLimit = std::numeric_limits<std::ptrdiff_t>::max();
  std::size_t bytes = element_size;
  bool is_empty = false;
  for (const std::size_t extent : shape) {
    if (extent == 0) {
      is_empty = true;
      continue;
    }
    const auto product = checked_multiply(bytes, extent);
    if (!product || *product > kLimit) return {};
    bytes = *product;
  }
  return is_empty ? 0 : bytes;
}

}  // namespace sbog::detail
