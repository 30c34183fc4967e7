// SPDX-License-Identifier: Apache-2.0
// Implementation of logit_blocks.h.
#include "sbog/dro/detail/logit_blocks.h"

#include <algorithm>

namespace sbog::detail {

template <typename T>
LogitBlocks<T>::LogitBlocks(const PreparedReference<T>& reference,
                            MatrixView<const T> points, std::size_t cache_bytes)
    : reference_(&reference),
      points_(points),
      rows_(points.rows()),
      atoms_(reference.measure().atom_count()),
      width_(group_width<T>()) {
  const std::size_t fitting = cache_bytes / sizeof(T);
  if (padded_rows() <= fitting / atoms_) {
    cache_ = Matrix<T>(padded_rows(), atoms_);
  }
}

template <typename T>
LogitBlocks<T>::LogitBlocks(MatrixView<const double> logits)
    : rows_(logits.rows()), atoms_(logits.cols()), width_(group_width<T>()) {
  cache_ = Matrix<T>(padded_rows(), atoms_);
  for (std::size_t g = 0; g < group_count(); ++g) {
    const std::size_t width = width_of(g);
    T* to = cached(g, 0);
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t row = first_row(g) + lane;
      if (row >= rows_) break;
      for (std::size_t j = 0; j < atoms_; ++j) {
        to[j * width + lane] = static_cast<T>(logits(row, j));
      }
    }
  }
  is_filled_ = true;
}

template <typename T>
std::size_t LogitBlocks<T>::width_of(std::size_t group) const {
  const std::size_t size = std::min(width_, rows_ - first_row(group));
  return size <= lane_count<T>() ? lane_count<T>() : width_;
}

template <typename T>
T* LogitBlocks<T>::cached(std::size_t group, std::size_t block) {
  return cache_.data() + first_row(group) * atoms_ +
         block * kBlockAtoms * width_of(group);
}

template <typename T>
const T* LogitBlocks<T>::tile(std::size_t group, std::size_t block,
                              LogitScratch<T>& scratch) {
  if (is_filled_) return cached(group, block);
  T* out = nullptr;
  if (is_cached()) {
    out = cached(group, block);
  } else {
    if (scratch.buffer.size() == 0) {
      scratch.buffer = Matrix<T>(kBlockAtoms, width_);
    }
    out = scratch.buffer.data();
  }
  compute(group, block, scratch, out);
  return out;
}

template <typename T>
void LogitBlocks<T>::compute(std::size_t group, std::size_t block,
                             LogitScratch<T>& scratch, T* out) const {
  const std::size_t chunk = group / kChunkGroups;
  if (scratch.packed_chunk != chunk) {
    const std::size_t first = first_row(chunk * kChunkGroups);
    const std::size_t count = std::min(kChunkGroups * width_, rows_ - first);
    scratch.queries.pack(*reference_, points_, first, count, {});
    scratch.packed_chunk = chunk;
  }
  if (scratch.built_block != block) {
    scratch.atoms = reference_->build_block(block, scratch.block);
    scratch.built_block = block;
  }
  block_logits(scratch.atoms,
               scratch.queries.group(group % kChunkGroups, block),
               reference_->tile_options().form, out);
}

template class LogitBlocks<float>;
template class LogitBlocks<double>;

}  // namespace sbog::detail
