// SPDX-License-Identifier: Apache-2.0
// The small JSON dialect of safetensors, read by nlohmann-json under limits:
// objects, arrays, strings and non-negative integers, in the order of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sbog::detail {

/// Longest string and key, in bytes after unescaping.
inline constexpr std::size_t kMaxJsonString = 1024;

/// What is refused while reading, before more of it is kept.
struct JsonLimits {
  std::size_t depth = 3;                      ///< open objects and arrays
  std::size_t members = 65537;                ///< of one object
  std::size_t elements = 8;                   ///< of one array
  std::size_t values = std::size_t{1} << 20;  ///< of the whole text
};

/// One value. The accessors throw IoError(file, what + " is not ...") for a
/// value of another kind.
class JsonValue {
 public:
  enum class Kind { kObject, kArray, kString, kInteger };

  /// The members of an object, each with its key; keys are distinct.
  const std::vector<JsonValue>& members(const std::string& file,
                                        const std::string& what) const;

  /// The elements of an array.
  const std::vector<JsonValue>& elements(const std::string& file,
                                         const std::string& what) const;

  const std::string& string(const std::string& file,
                            const std::string& what) const;

  /// An integer from 0 to 2^53.
  std::uint64_t integer(const std::string& file, const std::string& what) const;

  Kind kind = Kind::kObject;
  std::string key;  ///< in its object; otherwise empty

 private:
  friend class JsonTreeBuilder;

  std::string text_;
  std::uint64_t integer_ = 0;
  std::vector<JsonValue> children_;
};

/// The value that `text` holds, with nothing but spaces behind it. Everything
/// else is an IoError that begins with `name` and gives the place: the byte
/// where the text is malformed, or the key whose value is refused. Keys that
/// repeat in an object are refused.
JsonValue parse_json(std::string_view text, const std::string& name,
                     const JsonLimits& limits = {});

/// The text as a JSON string, quotes included. `text` is well-formed UTF-8.
std::string json_string(std::string_view text);

}  // namespace sbog::detail
