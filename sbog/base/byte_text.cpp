// SPDX-License-Identifier: Apache-2.0
// See byte_text.h.
#include "sbog/base/byte_text.h"

#include <cstdint>

namespace sbog {
namespace {

constexpr std::uint32_t kFirstStored = 0xF780;  // of the byte 0x80
constexpr std::uint32_t kLastStored = 0xF7FF;   // of the byte 0xFF
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::uint8_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<std::uint8_t>(bytes[i]);
}

// The number of a character of `length` bytes.
std::uint32_t code_point(std::string_view bytes, std::size_t length) {
  if (length == 1) return byte_at(bytes, 0);
  std::uint32_t code = byte_at(bytes, 0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6) | (byte_at(bytes, i) & 0x3FU);
  }
  return code;
}

bool is_stored_byte(std::uint32_t code) {
  return code >= kFirstStored && code <= kLastStored;
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

void append_stored(std::uint8_t byte, std::string& text) {
  const std::uint32_t code = kFirstStored - 0x80 + byte;
  text += static_cast<char>(0xE0 | (code >> 12));
  text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
  text += static_cast<char>(0x80 | (code & 0x3F));
}

}  // namespace

std::size_t utf8_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const std::uint8_t lead = byte_at(bytes, 0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(bytes, i) & 0xC0) != 0x80) return 0;
  }
  const std::uint32_t code = code_point(bytes, length);
  const std::uint32_t least = length == 4   ? 0x10000
                              : length == 3 ? 0x800
                                            : 0x80;
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least || code > 0x10FFFF || is_surrogate ? 0 : length;
}

std::string stored_text(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length > 0 && !is_stored_byte(code_point(bytes, length))) {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    } else {
      append_stored(byte_at(bytes, 0), text);
      bytes.remove_prefix(1);
    }
  }
  return text;
}

std::string stored_bytes(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::uint32_t code = length == 3 ? code_point(text, 3) : 0;
    if (is_stored_byte(code)) {
      bytes += static_cast<char>(code - kFirstStored + 0x80);
    } else {
      bytes += text.substr(0, length == 0 ? 1 : length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return bytes;
}

std::string shown_text(std::string_view bytes, std::size_t longest) {
  std::string text;
  const bool is_cut = bytes.size() > longest;
  if (is_cut) bytes = bytes.substr(0, longest);
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    const bool is_shown = length > 0 && !is_control(code_point(bytes, length));
    text += is_shown ? bytes.substr(0, length) : kReplacement;
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return is_cut ? text + "..." : text;
}

}  // namespace sbog
