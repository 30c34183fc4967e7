// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

constexpr std::size_t kMaxShown = 60;

std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
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
