// SPDX-License-Identifier: Apache-2.0
// See number_text.h.
#include "sbog/base/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace sbog {

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::lround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) +
           " s";
  }
  return std::to_string(whole / 3600) + " h " +
         std::to_string(whole % 3600 / 60) + " min";
}

std::string with_commas(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string full_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace sbog
