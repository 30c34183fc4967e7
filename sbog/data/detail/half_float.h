// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating formats, widened to float without any rounding.
//
//   half      s eeeee ffffffffff      bias 15     IEEE 754 binary16
//   bfloat16  s eeeeeeee fffffff      bias 127    upper half of a float
#pragma once

#include <bit>
#include <cstdint>

namespace sbog::detail {

/// The value of IEEE half-precision bits.
inline float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
  const std::uint32_t fraction = bits & 0x3FFu;
  if (exponent == 0) {
    // Zero and subnormals are fraction * 2^-24, exact in float.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1Fu ? 0xFFu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

/// The value of bfloat16 bits.
inline float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace sbog::detail
