// SPDX-License-Identifier: Apache-2.0
// A finished piece of a run on disk: some outputs of one class, with what
// happened at the anchors. Written whole, checked when read, so that a killed
// run goes on from the pieces it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/data/safetensors.h"
#include "sbog/sample/output.h"

namespace sbog {

/// Which piece: outputs [first_k, first_k + count) of class number cls.
struct PartKey {
  std::size_t cls = 0;
  std::size_t first_k = 0;
  std::size_t count = 0;
  /// Checksum of configuration and inputs: pieces of another run do not fit.
  std::uint64_t run = 0;

  std::string file_name() const;
};

/// The piece itself.
template <typename T>
using RunPart = OutlierPart<T>;

/// Writes the piece, whole or not at all.
template <typename T>
void write_part(const std::string& path, const PartKey& key,
                const RunPart<T>& part, std::size_t dim);

/// What the numbers of a piece are held against.
struct PartLimits {
  std::size_t dim = 0;
  std::size_t bank_rows = 0;
  std::size_t max_rounds = 0;
};

/// The piece that is in a file, whoever wrote it. Throws IoError when a number
/// goes beyond the limits or what the key asks for.
template <typename T>
RunPart<T> part_of(const SafetensorsFile& file, const PartKey& key,
                   const PartLimits& limits);

/// Reads it back; nothing when the file is missing, damaged, of another run or
/// holds what no run with these limits could have written. The number of
/// tallies, one per anchor, is left for the caller to compare.
template <typename T>
std::optional<RunPart<T>> read_part(const std::string& path, const PartKey& key,
                                    const PartLimits& limits);

}  // namespace sbog
