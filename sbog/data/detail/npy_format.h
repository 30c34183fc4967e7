// SPDX-License-Identifier: Apache-2.0
// The npy format, versions 1 to 3.
//
//   magic "\x93NUMPY", major, minor      8 bytes
//   header length                        2 bytes (version 1) or 4, little
//   header                               a Python dict literal, padded
//   elements                             up to the end of the file
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sbog/data/array.h"
#include "sbog/data/detail/element_layout.h"
#include "sbog/data/detail/mapped_file.h"

namespace sbog::detail {

/// Enough bytes to tell where the header ends.
inline constexpr std::size_t kNpyPreamble = 12;

/// Where the elements begin, from the first kNpyPreamble bytes (fewer when
/// the file is shorter). Throws IoError unless it is npy 1, 2 or 3 with a
/// header of at most 1 MiB.
std::size_t npy_data_offset(std::span<const std::byte> preamble,
                            const std::string& name);

/// The layout that the header promises. `bytes` holds at least the header.
ElementLayout parse_npy_header(std::span<const std::byte> bytes,
                               const std::string& name);

/// The array of a whole npy file.
Array npy_array(const FileBytes& file);

/// The header of a version 1 file with native elements in row-major order,
/// padded so that the elements begin at a multiple of 64 bytes.
std::string npy_header(ElementType type, std::span<const std::size_t> shape);

}  // namespace sbog::detail
