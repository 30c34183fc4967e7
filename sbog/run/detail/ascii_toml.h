// SPDX-License-Identifier: Apache-2.0
// TOML in ASCII alone, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sbog {

/// toml++ is given ASCII alone: what it does with some letters beyond it is
/// undefined (3.3.0, where it looks for white space outside of strings). Each
/// of their bytes is written as a mark and two hex digits, and had back from
/// keys, values and messages. The mark is a character that neither the text nor
/// an escape in it (\u007E) has, and that TOML has in strings and comments
/// only.
class AsciiToml {
 public:
  /// Refuses what is not UTF-8, with its line in the file `name`.
  AsciiToml(std::string_view text, const std::string& name);

  const std::string& text() const { return text_; }

  /// Of a key or a value that was read from text().
  std::string original(std::string_view read) const;
  /// Of a message of toml++ on text().
  std::string original_message(std::string_view message) const;

 private:
  std::optional<char> mark_;
  std::string text_;
};

}  // namespace sbog
