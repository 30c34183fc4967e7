// SPDX-License-Identifier: Apache-2.0
// The logits (base 2) of rows against a reference, tile by tile: a tile is a
// group of rows x a block of 256 atoms. They are computed when asked for, or
// kept in memory where they fit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "sbog/base/matrix.h"
#include "sbog/energy/detail/chunk_evaluator.h"
#include "sbog/energy/detail/prepared_reference.h"

namespace sbog::detail {

/// Groups that are packed together.
inline constexpr std::size_t kChunkGroups = 4;

/// One worker's memory.
template <typename T>
struct LogitScratch {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  PackedQueries<T> queries;
  BlockScratch<T> block;
  AtomBlock<T> atoms{};
  std::size_t packed_chunk = kNone;
  std::size_t built_block = kNone;
  Matrix<T> buffer;  // aligned: no load crosses a cache line
};

template <typename T>
class LogitBlocks {
 public:
  /// Rows of points against a reference; both must outlive this. Tiles are kept
  /// if all of them together take at most `cache_bytes`.
  LogitBlocks(const PreparedReference<T>& reference, MatrixView<const T> points,
              std::size_t cache_bytes);
  /// Given logits, one row each; copied.
  explicit LogitBlocks(MatrixView<const double> logits);

  std::size_t row_count() const { return rows_; }
  std::size_t atom_count() const { return atoms_; }
  std::size_t block_count() const {
    return (atoms_ + kBlockAtoms - 1) / kBlockAtoms;
  }
  std::size_t atoms_in(std::size_t block) const {
    return std::min(kBlockAtoms, atoms_ - block * kBlockAtoms);
  }
  std::size_t group_count() const { return (rows_ + width_ - 1) / width_; }
  std::size_t chunk_count() const {
    return (group_count() + kChunkGroups - 1) / kChunkGroups;
  }
  /// First row of a group, and its number of lanes: only those of the last
  /// group may go beyond the rows, and never beyond padded_rows().
  std::size_t first_row(std::size_t group) const { return group * width_; }
  std::size_t width_of(std::size_t group) const;
  std::size_t group_of(std::size_t row) const { return row / width_; }
  std::size_t padded_rows() const { return group_count() * width_; }
  bool is_cached() const { return cache_.size() > 0; }

  /// The tile [atom][lane] of a group and a block, valid until the scratch is
  /// used again. Different tiles may be asked for by different threads.
  const T* tile(std::size_t group, std::size_t block, LogitScratch<T>& scratch);
  /// Every tile has been asked for once: the cache is complete.
  void finish_first_pass() { is_filled_ = is_cached(); }

 private:
  void compute(std::size_t group, std::size_t block, LogitScratch<T>& scratch,
               T* out) const;
  T* cached(std::size_t group, std::size_t block);

  const PreparedReference<T>* reference_ = nullptr;
  MatrixView<const T> points_;
  std::size_t rows_ = 0;
  std::size_t atoms_ = 0;
  std::size_t width_ = 0;
  Matrix<T> cache_;
  bool is_filled_ = false;
};

}  // namespace sbog::detail
