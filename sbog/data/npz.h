// SPDX-License-Identifier: Apache-2.0
// Reads npz files: zip archives of npy members, stored or deflated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sbog/data/array.h"

namespace sbog {

/// Names of the npy members in the order of the file, without ".npy".
std::vector<std::string> npz_members(const std::string& path);

/// One member, with or without its ".npy". A stored member is looked at in the
/// mapped file; a deflated one is decompressed, to at most what its own npy
/// header claims and never beyond `max_inflated_bytes`. Its checksum is
/// verified. Throws IoError, listing the names when the member is not there.
Array read_npz(const std::string& path, const std::string& member,
               std::uint64_t max_inflated_bytes = kDefaultMaxInflatedBytes);

/// All members from memory; the results own their bytes. The limit holds for
/// each member and for the sum of them.
std::vector<NamedArray> parse_npz(
    std::span<const std::byte> bytes, const std::string& name,
    std::uint64_t max_inflated_bytes = kDefaultMaxInflatedBytes);

}  // namespace sbog
