// SPDX-License-Identifier: Apache-2.0
// The index of a model that is spread over several safetensors files.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace sbog {

/// Which file of the folder holds which tensor: tensor name -> file name. A
/// file name is bare: not empty, "." or "..", without separators, NUL or other
/// control characters, so that an index cannot point outside its folder.
/// Throws IoError; accepts at most 16 MiB and 65,536 tensors.
std::map<std::string, std::string> read_safetensors_index(
    const std::string& path);

/// The same from memory.
std::map<std::string, std::string> parse_safetensors_index(
    std::span<const std::byte> bytes, const std::string& name);

}  // namespace sbog
