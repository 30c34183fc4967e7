// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/text.h"

#include <array>

namespace sbog::detail {
namespace {

constexpr std::size_t kMaxShown = 60;

std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Bytes that a sequence starting with `lead` has, 0 for an impossible lead.
std::size_t length_by_lead(std::uint32_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

void append_hex(char c, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(c);
  out += "\\x";
  out += kDigits[value >> 4];
  out += kDigits[value & 15];
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const std::uint32_t lead = byte_at(text, 0);
  const std::size_t length = length_by_lead(lead);
  if (length == 0 || length > text.size()) return 0;
  constexpr std::array<std::uint32_t, 5> kMask = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t code_point = lead & kMask[length];
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint32_t next = byte_at(text, i);
    if ((next & 0xC0) != 0x80) return 0;
    code_point = (code_point << 6) | (next & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kLeast[length] || code_point > 0x10FFFF || is_surrogate) {
    return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_utf8(std::uint32_t code_point, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= kMaxShown) return out + "...";
    const std::size_t length = utf8_length(text);
    // C1 controls (U+0080..U+009F) are two bytes that begin with 0xC2.
    const bool is_c1 =
        length == 2 && byte_at(text, 0) == 0xC2 && byte_at(text, 1) < 0xA0;
    if (length == 0 || is_c1 || is_control(text[0])) {
      append_hex(text[0], out);
      text.remove_prefix(1);
    } else {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string quote(std::string_view text) {
  std::string out = "'";
  out += printable(text);
  out += "'";
  return out;
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) out += ", ";
    out += std::to_string(shape[i]);
  }
  if (shape.size() == 1) out += ",";
  return out + ")";
}

std::string name_list(std::span<const std::string> names) {
  constexpr std::size_t kShown = 5;
  if (names.empty()) return "no names";
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) {
    if (i != 0) out += ", ";
    out += quote(names[i]);
  }
  if (names.size() > kShown) {
    out += " and " + std::to_string(names.size() - kShown) + " more";
  }
  return out;
}

}  // namespace sbog::detail
