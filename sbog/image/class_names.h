// SPDX-License-Identifier: Apache-2.0
// Names of classes, one per line of a text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sbog {

/// The lines of a file, spaces around them dropped, empty lines at the end
/// dropped. More than 65,536 lines, a line above 256 bytes, an empty line
/// before the end, and bytes that are not UTF-8 are IoErrors.
std::vector<std::string> read_class_names(const std::string& path);

/// The same from memory; messages begin with `name`.
std::vector<std::string> parse_class_names(std::span<const std::byte> bytes,
                                           const std::string& name);

}  // namespace sbog
