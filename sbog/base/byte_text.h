// SPDX-License-Identifier: Apache-2.0
// Names that are bytes, in files that must be UTF-8. The name of a file or of a
// column may be any bytes, such as Latin-1; JSON and TOML may not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sbog {

/// Length of the UTF-8 character at the start of `bytes`, 1 to 4; 0 when there
/// is none. Longer forms than needed, surrogates and numbers beyond U+10FFFF
/// are no characters.
std::size_t utf8_length(std::string_view bytes);

/// Valid UTF-8 from which all bytes can be had back: a byte b that is part of
/// no character becomes the character U+F700 + b of the private area. These 128
/// characters themselves are taken apart into such bytes, so that nothing else
/// has the same text.
std::string stored_text(std::string_view bytes);
/// The bytes of a stored text.
std::string stored_bytes(std::string_view text);

/// For people, on one line of a terminal: a byte that is part of no character,
/// and a character that would move or colour the line (line ends, escapes),
/// becomes U+FFFD. What is longer than `longest` bytes is cut, "..." after it.
std::string shown_text(std::string_view bytes,
                       std::size_t longest = std::string_view::npos);

}  // namespace sbog
