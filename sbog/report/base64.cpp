// SPDX-License-Identifier: Apache-2.0
// Base64; see base64.h.
#include "sbog/report/base64.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sbog {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? bytes[i + k] : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t digit = group >> (18 - 6 * k) & 63U;
      text += k <= count ? kDigits[digit] : '=';
    }
  }
  return text;
}

}  // namespace sbog
