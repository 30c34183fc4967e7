// SPDX-License-Identifier: Apache-2.0
// The resolved configuration of a run as TOML text.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace sbog::cli {

/// A TOML value.
inline std::string text_of(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

inline std::string text_of(const std::string& value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

/// Collects "key = value" lines.
class Toml {
 public:
  void add(const char* key, double value) { line(key, text_of(value)); }
  void add(const char* key, std::size_t value) {
    line(key, std::to_string(value));
  }
  void add(const char* key, bool value) { line(key, value ? "true" : "false"); }
  void add(const char* key, const std::string& value) {
    line(key, text_of(value));
  }
  void add(const char* key, const char* value) { add(key, std::string(value)); }
  /// An empty list is left out.
  template <typename V>
  void add(const char* key, const std::vector<V>& values) {
    std::string list;
    for (const V& value : values) {
      list += (list.empty() ? "[" : ", ") + text_of(value);
    }
    if (!list.empty()) line(key, list + "]");
  }
  void section(const char* name) { text_ += "\n[" + std::string(name) + "]\n"; }
  const std::string& text() const { return text_; }

 private:
  void line(const std::string& key, const std::string& value) {
    text_ += key + " = " + value + "\n";
  }
  std::string text_;
};

}  // namespace sbog::cli
