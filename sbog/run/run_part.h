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
#include "sbog/sample/outlier_set.h"

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

/// The piece itself; accepted outputs only.
template <typename T>
struct RunPart {
  std::vector<Output<T>> outputs;
  std::vector<AnchorTally> tallies;
  std::vector<std::size_t> rounds;  ///< accepted outputs by rounds used - 1
};

/// Keeps the accepted outputs and counts their rounds.
template <typename T>
RunPart<T> make_part(std::vector<Output<T>> outputs,
                     std::vector<AnchorTally> tallies, std::size_t max_rounds);

/// Writes the piece, whole or not at all.
template <typename T>
void write_part(const std::string& path, const PartKey& key,
                const RunPart<T>& part, std::size_t dim);

/// Reads it back; nothing when the file is missing, damaged or of another run.
template <typename T>
std::optional<RunPart<T>> read_part(const std::string& path, const PartKey& key,
                                    std::size_t dim);

}  // namespace sbog
