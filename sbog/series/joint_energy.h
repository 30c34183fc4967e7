// SPDX-License-Identifier: Apache-2.0
// The Euclidean energy of rows against a bank of rows, all channels together:
//   E(q) = -eps log mean_i exp(-|q - z_i| / eps).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/energy/energy_model.h"

namespace sbog {

/// Rows of [0, n), `count` of them, evenly spaced: i n / count. All of them
/// when count is 0 or at least n.
std::vector<std::size_t> evenly_spaced(std::size_t n, std::size_t count);

/// See the top of the file. eps is the mean distance of a row to the nearest
/// other one, over 500 of 1,500 evenly spaced bank rows: thinned out, because
/// the next row in time is a near copy and says nothing about the spread.
///
/// Columns that are constant in the bank are taken together: what they add to
/// a distance is the same for all atoms, so one coordinate holds it exactly.
class JointEnergy {
 public:
  explicit JointEnergy(MatrixView<const float> bank);

  /// One energy per row.
  std::vector<double> evaluate(MatrixView<const float> queries,
                               const Context& context = {}) const;

  /// How much of the energy of one row each channel carries, adding up to 1:
  /// squared distances to the Gibbs mean of the bank. Equal shares at the mean.
  std::vector<double> channel_shares(std::span<const float> query) const;

  double epsilon() const { return epsilon_; }
  std::size_t atom_count() const { return atoms_.rows(); }
  /// Coordinates that are left.
  std::size_t dim() const { return atoms_.cols(); }

 private:
  Matrix<float> reduced(MatrixView<const float> rows) const;

  std::vector<std::size_t> varying_;
  std::vector<std::size_t> constant_;
  std::vector<float> constants_;  // their values
  Matrix<float> atoms_;
  double epsilon_ = 0.0;
  std::unique_ptr<EnergyModel<float>> model_;
};

}  // namespace sbog
