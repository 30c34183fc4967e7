// SPDX-License-Identifier: Apache-2.0
// Text that comes from files: UTF-8 checks and quoting for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sbog/base/byte_text.h"

namespace sbog::detail {

using sbog::utf8_length;

/// True when all of `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// Appends the UTF-8 form of a code point (at most U+10FFFF, no surrogate).
void append_utf8(std::uint32_t code_point, std::string& out);

/// The text, fit for a one-line message: control characters and malformed
/// bytes become \xNN, and a long text is cut with "...".
std::string printable(std::string_view text);

/// The printable text in single quotes.
std::string quote(std::string_view text);

/// "(3, 4)", as a shape is written in messages and in npy headers.
std::string shape_text(std::span<const std::size_t> shape);

/// "'a', 'b' and 3 more": the first few names, or "no names".
std::string name_list(std::span<const std::string> names);

/// The bytes as characters.
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace sbog::detail
