// SPDX-License-Identifier: Apache-2.0
// Reads idx files, plain or gzipped (the format of MNIST and its relatives).
//
//   0, 0, type, rank                      4 bytes
//   extents                               4 bytes each, big-endian
//   elements                              big-endian, row-major
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sbog/data/array.h"

namespace sbog {

/// The array of an idx file of rank 1 to 8 with elements uint8, int8, int16,
/// int32, float32 or float64. A file that begins as gzip is decompressed, to
/// at most what its idx header claims and never beyond `max_inflated_bytes`.
/// Throws IoError.
Array read_idx(const std::string& path,
               std::uint64_t max_inflated_bytes = kDefaultMaxInflatedBytes);

/// The same from memory; the result owns its bytes.
Array parse_idx(std::span<const std::byte> bytes, const std::string& name,
                std::uint64_t max_inflated_bytes = kDefaultMaxInflatedBytes);

}  // namespace sbog
