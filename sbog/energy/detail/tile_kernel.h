// SPDX-License-Identifier: Apache-2.0
// The innermost loop: the (max, sum) state of a group of queries against one
// block of at most 256 atoms, compiled for every SIMD target and chosen at run
// time.
//
// Lanes run over queries, atoms are broadcast. So nothing is ever added across
// lanes: the bits of a query's state do not depend on which queries share its
// group, nor on the vector width.
#pragma once

#include <cstddef>
#include <span>

#include "sbog/energy/energy_state.h"

namespace sbog::detail {

using sbog::kBlockAtoms;

/// Up to this dimension atoms go straight from memory to logits ("direct").
inline constexpr std::size_t kDirectDim = 8;

/// Logit (base 2) of an atom that is not there: its exponential is exactly 0.
inline constexpr double kAbsentLogit = -1e30;

/// What the tile accumulates over the dimension for a query q and an atom u.
enum class TileForm {
  kDot,                ///< sum q u
  kSquaredDifference,  ///< sum (q - u)^2
  kDifference,         ///< sqrt(sum (q - u)^2)
};

/// One block of atoms. Logit of atom i: bias[i] + scale[i] * tile(q, u_i), in
/// base 2. All arrays have kBlockAtoms entries; padding repeats a valid row and
/// has bias kAbsentLogit. For kDot and dim <= kDirectDim the scale must be 1
/// (rows are scaled already): the direct kernel does not read it.
template <typename T>
struct AtomBlock {
  const T* const* rows;
  const T* scale;
  const T* bias;
  std::size_t count;
};

/// Query `lane` does not see the atom at `position` of the block.
struct Exclusion {
  std::size_t position;
  std::size_t lane;
};

/// One group of queries: at most group_width<T>() of them, packed [k][lane]
/// with `width` lanes (a multiple of lane_count<T>()).
template <typename T>
struct QueryGroup {
  const T* packed;
  std::size_t width;
  std::size_t dim;
  std::span<const Exclusion> exclusions;
};

struct TileOptions {
  TileForm form = TileForm::kDot;
  /// True when no logit can exceed 100 or a needed one fall below -90: then the
  /// running maximum is not needed and the state's max is 0.
  bool has_fixed_range = false;
};

/// Queries that one group can hold for the CPU at hand.
template <typename T>
std::size_t group_width();
/// Lanes of one vector for the CPU at hand.
template <typename T>
std::size_t lane_count();

/// State of each query of the group against the block: the sum of
/// 2^(logit - max) with `max` in base 2. max and sum have group.width entries.
template <typename T>
void block_state(const AtomBlock<T>& block, const QueryGroup<T>& group,
                 const TileOptions& options, double* max, double* sum);

/// Logits instead of states, [atom][lane] with row stride group.width.
template <typename T>
void block_logits(const AtomBlock<T>& block, const QueryGroup<T>& group,
                  TileForm form, T* logits);

/// (max_a, sum_a) <- merge of (max_a, sum_a) and (max_b, sum_b), elementwise,
/// natural logarithms, with the rules of LogSumExp::merge.
void merge_states(std::size_t count, double* max_a, double* sum_a,
                  const double* max_b, const double* sum_b);

/// Name of the SIMD target that the calls above use on this CPU.
const char* simd_target();

}  // namespace sbog::detail
