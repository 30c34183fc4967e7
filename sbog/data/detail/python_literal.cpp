// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/python_literal.h"

#include <charconv>
#include <system_error>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

constexpr std::size_t kMaxRank = 32;
constexpr std::size_t kMaxString = 64;

class LiteralParser {
 public:
  LiteralParser(std::string_view text, const std::string& name)
      : text_(text), name_(name) {}

  NpyFields parse() {
    expect('{', "an opening brace");
    while (!accept('}')) {
      field();
      if (accept(',')) continue;
      expect('}', "a comma or a closing brace");
      break;
    }
    skip_blanks();
    if (position_ != text_.size()) fail("nothing after the closing brace");
    require(has_descr_, "descr");
    require(has_order_, "fortran_order");
    require(has_shape_, "shape");
    return std::move(fields_);
  }

 private:
  void field() {
    const std::string key = string("a quoted key");
    expect(':', "a colon");
    if (key == "descr") {
      claim(has_descr_, key);
      refuse_structured();
      fields_.descr = string("a quoted element type");
    } else if (key == "fortran_order") {
      claim(has_order_, key);
      fields_.fortran_order = boolean();
    } else if (key == "shape") {
      claim(has_shape_, key);
      fields_.shape = tuple();
    } else {
      throw IoError(name_, "the npy header has the unknown key " + quote(key));
    }
  }

  void refuse_structured() {
    skip_blanks();
    if (peek() != '[' && peek() != '(' && peek() != '{') return;
    throw IoError(name_,
                  "the npy file has structured elements; one plain numeric "
                  "type is expected");
  }

  // A string without escapes: no accepted key or type needs one.
  std::string string(const char* expected) {
    skip_blanks();
    const char mark = peek();
    if (mark != '\'' && mark != '"') fail(expected);
    const std::size_t begin = ++position_;
    while (peek() != mark) {
      const bool is_end = position_ >= text_.size();
      if (is_end || peek() == '\\' || position_ - begin >= kMaxString) {
        fail("the end of a short quoted string");
      }
      ++position_;
    }
    return std::string(text_.substr(begin, position_++ - begin));
  }

  bool boolean() {
    skip_blanks();
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail("True or False");
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> shape;
    expect('(', "a tuple");
    while (!accept(')')) {
      if (shape.size() == kMaxRank) fail("at most 32 dimensions");
      shape.push_back(integer());
      if (accept(',')) continue;
      // Without a comma "(3)" is a number, not a tuple.
      if (shape.size() == 1) fail("a comma in a tuple of one");
      expect(')', "a comma or a closing parenthesis");
      break;
    }
    return shape;
  }

  std::size_t integer() {
    skip_blanks();
    const char* begin = text_.data() + position_;
    std::size_t value = 0;
    const auto [end, error] =
        std::from_chars(begin, text_.data() + text_.size(), value);
    const auto length = static_cast<std::size_t>(end - begin);
    if (error == std::errc::result_out_of_range) {
      fail("a dimension below 2^64");
    }
    if (length == 0 || (length > 1 && *begin == '0')) {
      fail("a non-negative integer");
    }
    position_ += length;
    accept_word("L");  // Python 2 wrote long integers with this suffix
    return value;
  }

  void claim(bool& seen, const std::string& key) {
    if (seen)
      throw IoError(name_, "the npy header has " + quote(key) + " twice");
    seen = true;
  }
  void require(bool seen, const char* key) {
    if (!seen) throw IoError(name_, "the npy header has no " + quote(key));
  }

  char peek() const {
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  void skip_blanks() {
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n").find(peek()) != std::string_view::npos) {
      ++position_;
    }
  }
  bool accept(char c) {
    skip_blanks();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  bool accept_word(std::string_view word) {
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  void expect(char c, const char* what) {
    if (!accept(c)) fail(what);
  }
  [[noreturn]] void fail(const char* expected) const {
    throw IoError(name_, "the npy header is malformed at character " +
                             std::to_string(position_) + ": " + expected +
                             " is expected");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t position_ = 0;
  NpyFields fields_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

NpyFields parse_npy_fields(std::string_view header, const std::string& name) {
  return LiteralParser(header, name).parse();
}

}  // namespace sbog::detail
