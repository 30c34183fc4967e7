// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/json_reader.h"

#include <charconv>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

constexpr std::uint64_t kMaxInteger = std::uint64_t{1} << 53;

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string name)
    : text_(text), name_(std::move(name)) {
  if (!is_utf8(text_)) throw IoError(name_, "the JSON text is not UTF-8");
}

void JsonReader::object(
    std::size_t max_members,
    const std::function<void(const std::string& key)>& member) {
  expect('{', "an object");
  if (accept('}')) return;
  std::unordered_set<std::string> keys;
  do {
    if (keys.size() == max_members) {
      fail("an object of at most " + std::to_string(max_members) + " entries");
    }
    skip_blanks();
    const std::string key = string();
    if (!keys.insert(key).second) {
      throw IoError(name_, "the JSON key " + quote(key) + " appears twice");
    }
    expect(':', "a colon");
    member(key);
  } while (accept(','));
  expect('}', "a comma or a closing brace");
}

void JsonReader::array(std::size_t max_elements,
                       const std::function<void()>& element) {
  expect('[', "an array");
  if (accept(']')) return;
  std::size_t count = 0;
  do {
    if (count++ == max_elements) {
      fail("an array of at most " + std::to_string(max_elements) + " elements");
    }
    element();
  } while (accept(','));
  expect(']', "a comma or a closing bracket");
}

std::string JsonReader::string() {
  skip_blanks();
  if (peek() != '"') fail("a string");
  ++position_;
  std::string out;
  while (peek() != '"') {
    if (position_ >= text_.size()) fail("the end of a string");
    if (static_cast<unsigned char>(peek()) < 0x20) {
      fail("a string without control characters");
    }
    if (peek() == '\\') {
      escape(out);
    } else {
      out += text_[position_++];
    }
    if (out.size() > kMaxString) fail("a string of at most 1024 bytes");
  }
  ++position_;
  return out;
}

void JsonReader::escape(std::string& out) {
  ++position_;
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t letter = kLetters.find(peek());
  if (position_ < text_.size() && letter != std::string_view::npos) {
    out += kMeanings[letter];
    ++position_;
    return;
  }
  if (peek() != 'u') fail("a known escape");
  std::uint32_t unit = hex4();
  if (is_high_surrogate(unit)) {
    if (text_.substr(position_, 2) != "\\u") fail("a surrogate pair");
    ++position_;
    const std::uint32_t low = hex4();
    if (!is_low_surrogate(low)) fail("a surrogate pair");
    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  } else if (is_low_surrogate(unit)) {
    fail("a surrogate pair");
  }
  append_utf8(unit, out);
}

// Reads "uXXXX"; the position is on the u.
std::uint32_t JsonReader::hex4() {
  ++position_;
  const std::string_view digits = text_.substr(position_, 4);
  std::uint32_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, 16);
  if (digits.size() != 4 || result.ptr != end) fail("four hex digits");
  position_ += 4;
  return value;
}

std::uint64_t JsonReader::integer() {
  skip_blanks();
  const char* begin = text_.data() + position_;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(begin, text_.data() + text_.size(), value);
  const auto length = static_cast<std::size_t>(end - begin);
  const bool has_leading_zero = length > 1 && *begin == '0';
  if (length == 0 || has_leading_zero) fail("a non-negative integer");
  if (error != std::errc() || value > kMaxInteger) {
    fail("an integer of at most 2^53");
  }
  position_ += length;
  if (peek() == '.' || peek() == 'e' || peek() == 'E') {
    fail("an integer without fraction or exponent");
  }
  return value;
}

bool JsonReader::is_string_next() {
  skip_blanks();
  return peek() == '"';
}

void JsonReader::expect_end() {
  while (peek() == ' ') ++position_;
  if (position_ != text_.size()) fail("nothing but spaces after the end");
}

bool JsonReader::accept(char c) {
  skip_blanks();
  if (position_ >= text_.size() || text_[position_] != c) return false;
  ++position_;
  return true;
}

void JsonReader::expect(char c, const char* what) {
  if (!accept(c)) fail(what);
}

void JsonReader::skip_blanks() {
  while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
    ++position_;
  }
}

void JsonReader::fail(const std::string& expected) const {
  throw IoError(name_, "the JSON text is malformed at byte " +
                           std::to_string(position_) + ": " + expected +
                           " is expected");
}

std::string json_string(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto value = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (value < 0x20) {
      out += "\\u00";
      out += kDigits[value >> 4];
      out += kDigits[value & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace sbog::detail
