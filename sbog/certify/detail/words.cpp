// SPDX-License-Identifier: Apache-2.0
// See words.h. By to_chars, which knows no locale.
#include "sbog/certify/detail/words.h"

#include <array>
#include <charconv>
#include <cmath>

namespace sbog::detail {
namespace {

std::string formatted(double value, std::chars_format format, int digits) {
  std::array<char, 512> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 format, digits);
  return {text.data(), end.ptr};
}

std::string fixed(double value, int digits) {
  return formatted(value, std::chars_format::fixed, digits);
}

std::string general(double value, int digits) {
  return formatted(value, std::chars_format::general, digits);
}

}  // namespace

std::string grouped(double count) {
  if (std::isinf(count)) return "infinitely many";
  if (count >= 1e15) return general(count, 2);
  std::string text = fixed(count, 0);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0;
       at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string about(double count) {
  if (!std::isfinite(count) || count < 100.0) return grouped(std::ceil(count));
  const double unit = std::pow(10.0, std::floor(std::log10(count)) - 1.0);
  // A hair above a round number is that number.
  return grouped(std::ceil(count / unit * (1.0 - 1e-12)) * unit);
}

std::string rounded(double value) { return general(value, 3); }

std::string rounded_exp(double log_value) {
  if (log_value > -690.0) return rounded(std::exp(log_value));
  if (std::isinf(log_value)) return "0";
  const double decimal = log_value / std::log(10.0);
  // The mantissa must not round up to 10.
  const double exponent = std::floor(decimal + 0.0022);
  return fixed(std::pow(10.0, decimal - exponent), 1) + "e" +
         fixed(exponent, 0);
}

std::string percent(double share) {
  if (share <= 0.0) return "none";
  if (share >= 1.0) return "all";
  if (share < 0.01) return "less than 1 %";
  if (share > 0.99) return "more than 99 %";
  return fixed(100.0 * share, 0) + " %";
}

std::string level(double value) { return general(100.0 * value, 6) + " %"; }

}  // namespace sbog::detail
