// SPDX-License-Identifier: Apache-2.0
#include "sbog/run/detail/ascii_toml.h"

#include <algorithm>

#include "sbog/base/byte_text.h"
#include "sbog/base/errors.h"

namespace sbog {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

bool is_beyond(char c) { return static_cast<unsigned char>(c) > 0x7F; }

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string code_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return {kDigits[byte / 16], kDigits[byte % 16]};
}

bool is_code(std::string_view digits) {
  return digits.size() == 2 && digits.find_first_not_of(kDigits) == digits.npos;
}

char byte_of(std::string_view code) {
  return static_cast<char>(kDigits.find(code[0]) * 16 + kDigits.find(code[1]));
}

void check_utf8(std::string_view text, const std::string& name) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      const auto line = 1 + std::ranges::count(text.substr(0, i), '\n');
      throw IoError(name,
                    "line " + std::to_string(line) + ": UTF-8 is expected");
    }
    i += length;
  }
}

char free_mark(std::string_view text, const std::string& name) {
  std::string upper_text(text);
  std::ranges::transform(text, upper_text.begin(), upper);
  for (const char mark : std::string_view("~^`@!$%&;?|*<>/")) {
    const bool is_free = text.find(mark) == text.npos &&
                         upper_text.find("00" + code_of(mark)) == text.npos;
    if (is_free) return mark;
  }
  throw IoError(name,
                "has letters beyond ASCII and every punctuation mark; one mark "
                "that the file does not have is expected");
}

}  // namespace

AsciiToml::AsciiToml(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  check_utf8(text, name);
  if (std::ranges::any_of(text, is_beyond)) mark_ = free_mark(text, name);
  for (const char c : text) {
    if (is_beyond(c)) {
      text_ += *mark_ + code_of(c);
    } else {
      text_ += c;
    }
  }
}

std::string AsciiToml::original(std::string_view read) const {
  std::string bytes;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::string_view code = read.substr(i + 1, 2);
    const bool is_coded = mark_ == read[i] && is_code(code);
    bytes += is_coded ? byte_of(code) : read[i];
    if (is_coded) i += 2;
  }
  return bytes;
}

// A message on a letter that may not be there ends with it.
std::string AsciiToml::original_message(std::string_view message) const {
  if (mark_ && message.ends_with(std::string{*mark_, '\''})) {
    return "letters beyond ASCII are expected within quotes only";
  }
  return original(message);
}

}  // namespace sbog
