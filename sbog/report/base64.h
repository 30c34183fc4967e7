// SPDX-License-Identifier: Apache-2.0
// Bytes as text, for pictures inside a page.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sbog {

/// Base64 of the bytes (RFC 4648, with padding, without line breaks).
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace sbog
