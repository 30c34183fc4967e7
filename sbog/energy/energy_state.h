// SPDX-License-Identifier: Apache-2.0
// Partial energies of many queries over a range of reference blocks, which can
// be merged in any grouping to the same bits.
//
// The blocks are the leaves of one fixed binary tree over the block index: node
// (level, first) covers the blocks [first, first + 2^level). A state holds the
// fewest complete nodes that cover its range, and a node is always the merge of
// its two children. So the bits of the whole do not depend on how the range was
// cut into threads or shards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sbog/energy/log_sum_exp.h"

namespace sbog {

/// Atoms per block. States may be cut and merged at the borders of blocks.
inline constexpr std::size_t kBlockAtoms = 256;

/// LogSumExp of every query over the blocks [first_block, first_block +
/// 2^level) as three arrays.
struct StateNode {
  std::size_t first_block = 0;
  unsigned level = 0;
  std::vector<double> max;
  std::vector<double> sum;
  std::vector<double> mass;

  std::size_t end_block() const {
    return first_block + (std::size_t{1} << level);
  }
};

/// See the top of the file.
class EnergyState {
 public:
  /// An empty state that begins at `first_block`; `spare` is memory to use.
  EnergyState(std::size_t query_count, std::size_t first_block,
              std::vector<StateNode> spare = {});

  std::size_t query_count() const { return query_count_; }
  std::size_t first_block() const { return first_block_; }
  std::size_t end_block() const;
  const std::vector<StateNode>& nodes() const { return nodes_; }

  /// A node of the right size to be filled for the next block and appended.
  StateNode next_block();
  /// Appends a node that begins where this state ends. Throws InvalidArgument
  /// when it does not.
  void append(StateNode node);
  /// Appends a state that begins where this one ends, for the same queries.
  void append(EnergyState next);

  /// The memory that merging left over, for another state.
  std::vector<StateNode> take_spare();

  /// The state of each query over the whole range, left to right.
  std::vector<LogSumExp> fold() const;

 private:
  void merge_last_two();

  std::size_t query_count_;
  std::size_t first_block_;
  std::vector<StateNode> nodes_;  // from left to right
  std::vector<StateNode> spare_;  // memory to use again
};

/// What a shard's file says besides its state.
struct EnergyStateFile {
  EnergyState state{0, 0};
  double epsilon = 0.0;
  /// Checksum of the queries' bytes: states of different queries never merge.
  std::uint64_t query_checksum = 0;
  /// Blocks of the complete bank.
  std::size_t total_blocks = 0;
};

/// Writes the state with a checksum; the file appears whole or not at all.
void write_energy_state(const std::string& path, const EnergyStateFile& file);
/// Throws IoError when the file is not a state, is damaged or truncated.
EnergyStateFile read_energy_state(const std::string& path);
/// Sorts the shards by range and appends them. Throws InvalidArgument when they
/// do not belong together or leave a gap.
EnergyStateFile merge_energy_states(std::vector<EnergyStateFile> shards);

}  // namespace sbog
