// SPDX-License-Identifier: Apache-2.0
// Packing of queries and the states of one block; see chunk_evaluator.h.
#include "sbog/energy/detail/chunk_evaluator.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace sbog::detail {
namespace {

constexpr std::size_t kLargestChunkBytes = std::size_t{3} << 20;
constexpr std::size_t kLargestChunkGroups = 64;

}  // namespace

template <typename T>
std::size_t largest_chunk(const PreparedReference<T>& reference) {
  const std::size_t width = group_width<T>();
  const std::size_t group_bytes = width * reference.tile_dim() * sizeof(T);
  const std::size_t groups = std::clamp<std::size_t>(
      kLargestChunkBytes / group_bytes, 1, kLargestChunkGroups);
  return groups * width;
}

template <typename T>
void PackedQueries<T>::pack(const PreparedReference<T>& reference,
                            MatrixView<const T> queries, std::size_t first,
                            std::size_t count,
                            std::span<const std::size_t> self_positions) {
  count_ = count;
  dim_ = reference.tile_dim();
  const std::size_t width = group_width<T>();
  const std::size_t groups = (count + width - 1) / width;
  if (packed_.rows() < groups || packed_.cols() != width * dim_) {
    packed_ = Matrix<T>(groups, width * dim_);
  }
  starts_.resize(groups);
  widths_.resize(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    starts_[g] = g * width;
    const std::size_t size = std::min(width, count - starts_[g]);
    widths_[g] = size <= lane_count<T>() ? lane_count<T>() : width;
    const std::size_t row = first + starts_[g];
    const std::size_t good = reference.pack_queries(
        queries.subrows(row, size), widths_[g], packed_.row(g).data());
    if (good < size) {
      // Finds the row again and throws with its place.
      check_points(queries.subrows(0, row + good + 1), reference.cost(),
                   "queries");
    }
  }
  self_.assign(self_positions.begin(), self_positions.end());
  self_blocks_.clear();
  for (std::size_t q = 0; q < self_.size(); ++q) {
    if (self_[q] != kNoAtom) {
      self_blocks_.emplace_back(self_[q] / kBlockAtoms, q);
    }
  }
  std::sort(self_blocks_.begin(), self_blocks_.end());
}

template <typename T>
std::size_t PackedQueries<T>::group_size(std::size_t g) const {
  return std::min(count_ - starts_[g], widths_[g]);
}

template <typename T>
bool PackedQueries<T>::has_self_in(std::size_t block) const {
  const auto at = std::lower_bound(self_blocks_.begin(), self_blocks_.end(),
                                   std::pair(block, std::size_t{0}));
  return at != self_blocks_.end() && at->first == block;
}

template <typename T>
QueryGroup<T> PackedQueries<T>::group(std::size_t g, std::size_t block) {
  exclusions_.clear();
  auto at = std::lower_bound(self_blocks_.begin(), self_blocks_.end(),
                             std::pair(block, starts_[g]));
  const std::size_t end = starts_[g] + group_size(g);
  for (; at != self_blocks_.end() && at->first == block && at->second < end;
       ++at) {
    const std::size_t q = at->second;
    exclusions_.push_back({self_[q] % kBlockAtoms, q - starts_[g]});
  }
  return {packed_.row(g).data(), widths_[g], dim_, exclusions_};
}

template <typename T>
void evaluate_block(const PreparedReference<T>& reference, std::size_t block,
                    ChunkScratch<T>& scratch, StateNode& node) {
  evaluate_block(reference, block, reference.build_block(block, scratch.block),
                 scratch, node);
}

template <typename T>
void evaluate_block(const PreparedReference<T>& reference, std::size_t block,
                    const AtomBlock<T>& atoms, ChunkScratch<T>& scratch,
                    StateNode& node) {
  PackedQueries<T>& queries = scratch.queries;
  scratch.max.resize(group_width<T>());
  scratch.sum.resize(group_width<T>());
  const TileOptions options = reference.tile_options();
  for (std::size_t g = 0; g < queries.group_count(); ++g) {
    const QueryGroup<T> group = queries.group(g, block);
    const std::size_t start = queries.group_start(g);
    const std::size_t size = queries.group_size(g);
    // Full groups write to their place; the last one may have spare lanes.
    const bool is_full = size == group.width;
    double* max = is_full ? node.max.data() + start : scratch.max.data();
    double* sum = is_full ? node.sum.data() + start : scratch.sum.data();
    block_state(atoms, group, options, max, sum);
    if (is_full) continue;
    std::copy_n(max, size, node.max.data() + start);
    std::copy_n(sum, size, node.sum.data() + start);
  }
  if (options.has_fixed_range) {
    std::fill(node.max.begin(), node.max.end(),
              -reference.offset() * std::numbers::ln2);
  } else {
    for (double& max : node.max) {
      max = (max - reference.offset()) * std::numbers::ln2;
    }
  }
  const double mass = reference.block_mass(block, kNoAtom);
  std::fill(node.mass.begin(), node.mass.end(), mass);
  if (!queries.has_self_in(block)) return;
  for (std::size_t q = 0; q < queries.count(); ++q) {
    const std::size_t self = queries.self_of(q);
    if (self != kNoAtom && self / kBlockAtoms == block) {
      node.mass[q] = reference.block_mass(block, self);
    }
  }
}

template class PackedQueries<float>;
template class PackedQueries<double>;
template std::size_t largest_chunk(const PreparedReference<float>&);
template std::size_t largest_chunk(const PreparedReference<double>&);
template void evaluate_block(const PreparedReference<float>&, std::size_t,
                             ChunkScratch<float>&, StateNode&);
template void evaluate_block(const PreparedReference<float>&, std::size_t,
                             const AtomBlock<float>&, ChunkScratch<float>&,
                             StateNode&);
template void evaluate_block(const PreparedReference<double>&, std::size_t,
                             ChunkScratch<double>&, StateNode&);
template void evaluate_block(const PreparedReference<double>&, std::size_t,
                             const AtomBlock<double>&, ChunkScratch<double>&,
                             StateNode&);

}  // namespace sbog::detail
