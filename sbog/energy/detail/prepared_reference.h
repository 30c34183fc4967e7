// SPDX-License-Identifier: Apache-2.0
// A reference measure made ready for the tile kernel: which tile form, which
// scale and bias, how a query is packed and how a block of atoms is laid out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/energy/detail/tile_kernel.h"
#include "sbog/energy/energy_model.h"
#include "sbog/energy/ground_cost.h"
#include "sbog/energy/reference_measure.h"

namespace sbog::detail {

/// One worker's memory for the current block.
template <typename T>
struct BlockScratch {
  std::vector<const T*> rows;
  std::vector<T> scale;
  std::vector<T> bias;
  Matrix<T> copy;
  std::vector<double> mapped;
};

/// Logits are in base 2: log2 nu_i - d_i log2(e) / epsilon + offset, where
/// offset() keeps a bounded range of logits inside the exponent range of T.
/// Nothing about an atom depends on the other atoms, so that a bank cut into
/// shards at block borders gives the same bits.
template <typename T>
class PreparedReference {
 public:
  /// The measure has been checked; `factor` is read by Mahalanobis costs only
  /// and copied.
  PreparedReference(const ReferenceMeasure<T>& measure, GroundCost cost,
                    double epsilon, MatrixView<const double> factor);

  const ReferenceMeasure<T>& measure() const { return measure_; }
  GroundCost cost() const { return cost_; }
  double epsilon() const { return epsilon_; }
  MatrixView<const double> factor() const { return factor_; }

  std::size_t block_count() const {
    return (measure_.atom_count() + kBlockAtoms - 1) / kBlockAtoms;
  }
  TileOptions tile_options() const { return {form_, has_fixed_range_}; }
  /// Dimension of packed queries: the direct kernel has 4 or 8 coordinates.
  std::size_t tile_dim() const { return tile_dim_; }
  double offset() const { return offset_; }
  /// 1 / |atom| under the cosine cost, otherwise 1.
  double inverse_norm(std::size_t atom) const {
    return inverse_norms_.empty() ? 1.0 : inverse_norms_[atom];
  }

  /// Packs queries, one per row and at most `width`, as columns of a group: as
  /// the tile sees them, normalised or mapped, scaled, and padded with zeros to
  /// tile_dim() coordinates. Returns how many rows came before the first cosine
  /// query without a usable length (zero, not finite): all, if there is none.
  [[nodiscard]] std::size_t pack_queries(MatrixView<const T> queries,
                                         std::size_t width, T* packed) const;
  /// The atoms of block `block`; valid until scratch is used again.
  AtomBlock<T> build_block(std::size_t block, BlockScratch<T>& scratch) const;
  /// Total weight of the block without the atom at `excluded` (position in the
  /// measure, or kNoAtom), added in order.
  double block_mass(std::size_t block, std::size_t excluded) const;

 private:
  void choose_range();
  void copy_atom(std::size_t atom, std::span<T> to,
                 std::vector<double>& mapped) const;

  ReferenceMeasure<T> measure_;
  GroundCost cost_;
  double epsilon_;
  Matrix<double> factor_;
  TileForm form_ = TileForm::kDot;
  bool needs_copy_ = false;  // rows cannot be used where they are
  bool has_fixed_range_ = false;
  double offset_ = 0.0;
  std::size_t tile_dim_ = 0;
  std::vector<double> inverse_norms_;  // cosine only
  std::vector<double> log2_weights_;   // weighted only
};

/// The reference behind a model, for kernels that walk over the atoms.
template <typename T>
struct ModelAccess {
  static const PreparedReference<T>& prepared(const EnergyModel<T>& model) {
    return *model.prepared_;
  }
};
template <typename T>
const PreparedReference<T>& prepared_of(const EnergyModel<T>& model) {
  return ModelAccess<T>::prepared(model);
}

}  // namespace sbog::detail
