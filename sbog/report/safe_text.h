// SPDX-License-Identifier: Apache-2.0
// Text of others inside a page, shown and never read as markup, and bytes as
// text, for pictures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sbog {

/// Text for the body of an HTML element or a quoted attribute. & < > " and '
/// become references. Bytes that are not UTF-8 become U+FFFD. With
/// `shows_unseen`, characters that cannot be seen but turn or break the text
/// around them (controls, line separators, embeddings, overrides, isolates) are
/// written out, as in "[U+202E]".
std::string html_text(std::string_view text, bool shows_unseen = true);

/// JSON for the body of a script element: < > & U+2028 and U+2029 as escapes,
/// which mean the same inside strings and occur nowhere else.
std::string script_json(std::string_view json);

/// Base64 of the bytes (RFC 4648, with padding, without line breaks).
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace sbog
