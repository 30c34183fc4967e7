// SPDX-License-Identifier: Apache-2.0
// From real grey levels to stored ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sbog::detail {

/// The nearest of 0 .. 255, halves upwards; what lies beyond is clamped.
inline std::uint8_t to_byte(double level) {
  return static_cast<std::uint8_t>(
      std::floor(std::clamp(level, 0.0, 255.0) + 0.5));
}

}  // namespace sbog::detail
