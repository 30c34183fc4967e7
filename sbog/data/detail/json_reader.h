// SPDX-License-Identifier: Apache-2.0
// A strict pull reader for the small JSON dialect of safetensors: objects,
// arrays, strings and non-negative integers, where the caller knows what must
// come next. Nothing nests deeper than the caller asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sbog::detail {

/// Reads forward through one document. Every surprise is an IoError that
/// begins with `name` and gives the position.
class JsonReader {
 public:
  /// Longest string, in bytes after unescaping.
  static constexpr std::size_t kMaxString = 1024;

  /// Throws unless `text` is well-formed UTF-8.
  JsonReader(std::string_view text, std::string name);

  /// Reads an object; calls member(key) for each key, which must read the
  /// value. Throws for a key that appears twice and beyond `max_members`.
  void object(std::size_t max_members,
              const std::function<void(const std::string& key)>& member);

  /// Reads an array; calls element() for each element, which must read it.
  void array(std::size_t max_elements, const std::function<void()>& element);

  /// Reads a string.
  std::string string();

  /// Reads an integer 0 <= n <= 2^53 without sign, fraction or exponent.
  std::uint64_t integer();

  /// True when a string comes next.
  bool is_string_next();

  /// Throws unless nothing but spaces follows.
  void expect_end();

 private:
  char peek() const {
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c);
  void expect(char c, const char* what);
  void skip_blanks();
  void escape(std::string& out);
  std::uint32_t hex4();
  [[noreturn]] void fail(const std::string& expected) const;

  std::string_view text_;
  std::string name_;
  std::size_t position_ = 0;
};

/// The text as a JSON string, quotes included. `text` is well-formed UTF-8.
std::string json_string(std::string_view text);

}  // namespace sbog::detail
