// SPDX-License-Identifier: Apache-2.0
// Packing of queries and the states of one block; see chunk_evaluator.h.
#include "sbog/energy/detail/chunk_evaluator.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace sbog::detail {
namespace {

constexpr std::size_t kLargestChunkBytes = std::size_t{3} << 20;
constexpr std::size_t kLargestChunkGroups = 20;

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
    T* packed = packed_.row(g).data();
    std::fill_n(packed, widths_[g] * dim_, T(0));
    for (std::size_t lane = 0; lane < size; ++lane) {
      reference.pack_query(queries.row(first + starts_[g] + lane), packed, lane,
                           widths_[g]);
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
  PackedQueries<T>& queries = scratch.queries;
  scratch.max.resize(group_width<T>());
  scratch.sum.resize(group_width<T>());
  const AtomBlock<T> atoms = reference.build_block(block, scratch.block);
  for (std::size_t g = 0; g < queries.group_count(); ++g) {
    block_state(atoms, queries.group(g, block), reference.tile_options(),
                scratch.max.data(), scratch.sum.data());
    const std::size_t start = queries.group_start(g);
    for (std::size_t lane = 0; lane < queries.group_size(g); ++lane) {
      node.max[start + lane] =
          (scratch.max[lane] - reference.offset()) * std::numbers::ln2;
      node.sum[start + lane] = scratch.sum[lane];
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
template void evaluate_block(const PreparedReference<double>&, std::size_t,
                             ChunkScratch<double>&, StateNode&);

}  // namespace sbog::detail
