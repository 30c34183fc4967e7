// SPDX-License-Identifier: Apache-2.0
// One worker's walk of a chunk of queries over a range of blocks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/energy/detail/prepared_reference.h"
#include "sbog/energy/detail/tile_kernel.h"
#include "sbog/energy/energy_state.h"

namespace sbog::detail {

/// A chunk of queries, packed in groups for the tile kernel.
template <typename T>
class PackedQueries {
 public:
  /// Packs rows [first, first + count). `self_positions` is empty or holds for
  /// each of these queries the atom position it does not see, or kNoAtom.
  void pack(const PreparedReference<T>& reference, MatrixView<const T> queries,
            std::size_t first, std::size_t count,
            std::span<const std::size_t> self_positions);

  std::size_t count() const { return count_; }
  std::size_t group_count() const { return starts_.size(); }
  /// Index of the first query of a group, and how many it really holds.
  std::size_t group_start(std::size_t g) const { return starts_[g]; }
  std::size_t group_size(std::size_t g) const;
  /// The group as the kernel sees it in block `block` (blocks in any order).
  QueryGroup<T> group(std::size_t g, std::size_t block);
  std::size_t self_of(std::size_t query) const {
    return self_.empty() ? kNoAtom : self_[query];
  }
  bool has_self_in(std::size_t block) const;

 private:
  Matrix<T> packed_;  // one row per group
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> widths_;
  std::vector<std::size_t> self_;
  std::vector<std::pair<std::size_t, std::size_t>> self_blocks_;  // (block, q)
  std::vector<Exclusion> exclusions_;
  std::size_t count_ = 0;
  std::size_t dim_ = 0;
};

/// What one worker needs for any number of chunks.
template <typename T>
struct ChunkScratch {
  PackedQueries<T> queries;
  BlockScratch<T> block;
  std::vector<double> max;
  std::vector<double> sum;
  std::vector<StateNode> nodes;  // memory for states
};

/// Fills `node` with the states of the packed queries against one block.
template <typename T>
void evaluate_block(const PreparedReference<T>& reference, std::size_t block,
                    ChunkScratch<T>& scratch, StateNode& node);

/// The same with the atoms of the block already built.
template <typename T>
void evaluate_block(const PreparedReference<T>& reference, std::size_t block,
                    const AtomBlock<T>& atoms, ChunkScratch<T>& scratch,
                    StateNode& node);

/// Queries per chunk: a packed chunk stays in the second-level cache.
template <typename T>
std::size_t largest_chunk(const PreparedReference<T>& reference);

}  // namespace sbog::detail
