// SPDX-License-Identifier: Apache-2.0
// The energy of numbers on a line against n atoms, exact and in O(log n):
//   E(q) = -eps log[ (1/n) sum_i exp(-|q - x_i| / eps) ].
// With the atoms sorted, the sum splits at q into two one-sided sums,
//   left_i = sum_{k <= i} exp(-(x_i - x_k)/eps) = 1 + left_{i-1} exp(-gap/eps)
// and the mirror image, which are recursions of positive terms: nothing
// cancels, under- or overflows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sbog {

/// See the top of the file. Equal atoms are kept once, with their count.
class LineEnergy {
 public:
  /// eps = `epsilon_share` x (largest - smallest atom). When all atoms are
  /// equal, E(q) = |q - x|. Reorders `atoms`. Throws InvalidArgument without
  /// atoms or unless epsilon_share is finite and > 0.
  LineEnergy(std::span<float> atoms, double epsilon_share);

  /// E(q), >= 0.
  double operator()(double q) const;
  /// Replaces numbers by their energies: the same bits as one by one, faster.
  void evaluate(std::span<double> values) const;

  double epsilon() const { return epsilon_; }
  /// Distinct atoms.
  std::size_t size() const { return places_.size(); }

 private:
  struct Sides {
    double left;   // over the atoms up to this one, relative to it
    double right;  // over the atoms from this one on, relative to it
  };

  // E(q) = base + eps (log n - log(near + far exp(exponent))).
  struct Terms {
    double base;
    double near;
    double far;
    double exponent;
  };

  std::size_t first_above(double q) const;
  Terms terms(double q) const;

  std::vector<float> places_;  // distinct atoms, increasing
  std::vector<Sides> sides_;
  std::vector<std::uint32_t> buckets_;  // first atom of each cell of a grid
  double epsilon_ = 0.0;
  double log_count_ = 0.0;
  double cells_per_unit_ = 0.0;
};

}  // namespace sbog
