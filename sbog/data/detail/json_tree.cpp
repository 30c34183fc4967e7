// SPDX-License-Identifier: Apache-2.0
#include "sbog/data/detail/json_tree.h"

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/data/detail/text.h"

namespace sbog::detail {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxInteger = std::uint64_t{1} << 53;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void refuse_text(const std::string& name, std::size_t byte,
                              const std::string& why) {
  throw IoError(name, "the JSON text is malformed at byte " +
                          std::to_string(byte) + ": " + why);
}

// The words of the exception between its place and the text it quotes.
std::string reason(const json::exception& error) {
  std::string_view words = error.what();
  words = words.substr(std::min(words.find("syntax error"), words.size()));
  words = words.substr(0, words.find("; last read"));
  return words.empty() ? "not JSON" : printable(words);
}

// The parser takes a NUL for the end of the text and passes over a byte order
// mark; neither is JSON.
void check_bytes(std::string_view text, const std::string& name) {
  if (text.starts_with(kByteOrderMark)) {
    refuse_text(name, 0, "a byte order mark is not accepted");
  }
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    refuse_text(name, nul, "a NUL is not accepted");
  }
}

// The parser accepts any blanks behind the value.
void check_end(std::string_view text, const std::string& name) {
  const std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
  const std::size_t blank = text.find_first_not_of(' ', end);
  if (blank != std::string_view::npos) {
    refuse_text(name, blank, "nothing but spaces is expected after the end");
  }
}

}  // namespace

/// Takes the parser's events and puts the values together.
class JsonTreeBuilder final : public json::json_sax_t {
 public:
  JsonTreeBuilder(const std::string& name, const JsonLimits& limits)
      : name_(name), limits_(limits) {}

  JsonValue take() { return std::move(root_); }

  bool start_object(std::size_t) override { return open(Kind::kObject); }
  bool start_array(std::size_t) override { return open(Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& text) override {
    check_length(text);
    Frame& frame = open_.back();
    if (!frame.keys.insert(text).second) {
      throw IoError(name_, "the JSON key " + quote(text) + " appears twice");
    }
    key_ = text;
    last_key_ = text;
    return true;
  }

  bool string(std::string& text) override {
    check_length(text);
    add(Kind::kString).text_ = text;
    return true;
  }

  bool number_unsigned(std::uint64_t value) override {
    if (value > kMaxInteger) refuse_kind();
    add(Kind::kInteger).integer_ = value;
    return true;
  }

  bool null() override { refuse_kind(); }
  bool boolean(bool) override { refuse_kind(); }
  bool number_integer(std::int64_t) override { refuse_kind(); }  // has a sign
  bool number_float(double, const std::string&) override { refuse_kind(); }
  bool binary(json::binary_t&) override { refuse_kind(); }

  bool parse_error(std::size_t position, const std::string&,
                   const json::exception& error) override {
    refuse_text(name_, position - 1, reason(error));  // counted from 1
  }

 private:
  using Kind = JsonValue::Kind;

  struct Frame {
    JsonValue* value;
    std::unordered_set<std::string> keys;
  };

  bool open(Kind kind) {
    if (open_.size() == limits_.depth) {
      refuse("is nested deeper than " + std::to_string(limits_.depth));
    }
    open_.push_back({&add(kind), {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  // The place of a new value. It stays where it is until its parent, to which
  // nothing is added meanwhile, is complete.
  JsonValue& add(Kind kind) {
    if (++count_ > limits_.values) {
      throw IoError(name_, "the JSON text holds more than " +
                               std::to_string(limits_.values) + " values");
    }
    JsonValue* place = &root_;
    if (!open_.empty()) {
      JsonValue& parent = *open_.back().value;
      const bool is_object = parent.kind == Kind::kObject;
      const std::size_t most = is_object ? limits_.members : limits_.elements;
      if (parent.children_.size() == most) {
        refuse(std::string("lies in an ") + (is_object ? "object" : "array") +
               " of more than " + std::to_string(most));
      }
      place = &parent.children_.emplace_back();
    }
    place->kind = kind;
    place->key = std::exchange(key_, "");
    return *place;
  }

  void check_length(const std::string& text) const {
    if (text.size() > kMaxJsonString) {
      refuse("holds a string of more than " + std::to_string(kMaxJsonString) +
             " bytes");
    }
  }

  [[noreturn]] void refuse_kind() const {
    refuse("is not an object, an array, a string or an integer from 0 to 2^53");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    const std::string place =
        last_key_.empty() ? "" : " behind the key " + quote(last_key_);
    throw IoError(name_, "the JSON value" + place + " " + what);
  }

  const std::string& name_;
  const JsonLimits& limits_;
  JsonValue root_;
  std::vector<Frame> open_;
  std::size_t count_ = 0;
  std::string key_;       // of the value to come
  std::string last_key_;  // for messages
};

namespace {

void check_kind(const JsonValue& value, JsonValue::Kind kind,
                const std::string& file, const std::string& what,
                const char* expected) {
  if (value.kind != kind) throw IoError(file, what + " is not " + expected);
}

}  // namespace

const std::vector<JsonValue>& JsonValue::members(
    const std::string& file, const std::string& what) const {
  check_kind(*this, Kind::kObject, file, what, "an object");
  return children_;
}

const std::vector<JsonValue>& JsonValue::elements(
    const std::string& file, const std::string& what) const {
  check_kind(*this, Kind::kArray, file, what, "an array");
  return children_;
}

const std::string& JsonValue::string(const std::string& file,
                                     const std::string& what) const {
  check_kind(*this, Kind::kString, file, what, "a string");
  return text_;
}

std::uint64_t JsonValue::integer(const std::string& file,
                                 const std::string& what) const {
  check_kind(*this, Kind::kInteger, file, what, "an integer");
  return integer_;
}

JsonValue parse_json(std::string_view text, const std::string& name,
                     const JsonLimits& limits) {
  check_bytes(text, name);
  JsonTreeBuilder builder(name, limits);
  json::sax_parse(text, &builder);  // refusals are thrown, never returned
  check_end(text, name);
  return builder.take();
}

std::string json_string(std::string_view text) { return json(text).dump(); }

}  // namespace sbog::detail
