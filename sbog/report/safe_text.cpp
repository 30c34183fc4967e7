// SPDX-License-Identifier: Apache-2.0
// Escaping and base64 for safe_text.h.
#include "sbog/report/safe_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace sbog {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

struct Character {
  std::uint32_t code = kReplacement;
  std::size_t size = 1;  // bytes it was read from
};

// The character at `at`; kReplacement for one byte that begins no valid one.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - at < size) return {};
  std::uint32_t code = first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const std::uint32_t next = byte(at + i);
    if ((next & 0xC0u) != 0x80u) return {};
    code = code << 6 | (next & 0x3Fu);
  }
  const bool is_overlong =
      (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (is_overlong || is_surrogate || code > 0x10FFFF) return {};
  return {code, size};
}

bool is_unseen(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) ||
         (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

const char* reference_of(std::uint32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

}  // namespace

std::string html_text(std::string_view text, bool shows_unseen) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (const char* reference = reference_of(character.code)) {
      result += reference;
    } else if (shows_unseen && is_unseen(character.code)) {
      char buffer[16];
      std::snprintf(buffer, sizeof buffer, "[U+%04X]",
                    static_cast<unsigned>(character.code));
      result += buffer;
    } else if (character.code == kReplacement) {
      result += "\xEF\xBF\xBD";
    } else if (character.code != 0) {  // HTML has no zero
      result += text.substr(at, character.size);
    }
    at += character.size;
  }
  return result;
}

std::string script_json(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    const std::string_view three = json.substr(at, 3);
    if (c == '<') {
      result += "\\u003c";
    } else if (c == '>') {
      result += "\\u003e";
    } else if (c == '&') {
      result += "\\u0026";
    } else if (three == "\xE2\x80\xA8" || three == "\xE2\x80\xA9") {
      result += three.back() == '\xA8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      result += c;
    }
  }
  return result;
}

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
