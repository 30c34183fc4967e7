// SPDX-License-Identifier: Apache-2.0
// Ground costs d(z, u) >= 0 between a query z and an atom u, with their
// derivatives in z. These are the plain definitions, in double; the fused
// kernels compute the same costs tile by tile.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "sbog/base/matrix.h"

namespace sbog {

/// Which ground cost.
enum class GroundCost {
  kCosine,              ///< 1 - <z,u> / (|z| |u|), any non-zero vectors
  kUnitCosine,          ///< 1 - <z,u>, unit vectors (inner-product form)
  kSquaredEuclidean,    ///< |z-u|^2
  kEuclidean,           ///< |z-u|
  kSquaredMahalanobis,  ///< (z-u)' W (z-u)
  kMahalanobis,         ///< its square root
};

/// "cosine", "unit-cosine", "squared-euclidean", "euclidean",
/// "squared-mahalanobis", "mahalanobis".
const char* to_string(GroundCost cost);
/// The reverse; throws InvalidArgument that lists the names.
GroundCost parse_ground_cost(std::string_view name);

inline bool is_cosine(GroundCost cost) {
  return cost == GroundCost::kCosine || cost == GroundCost::kUnitCosine;
}
inline bool is_mahalanobis(GroundCost cost) {
  return cost == GroundCost::kSquaredMahalanobis ||
         cost == GroundCost::kMahalanobis;
}
/// Whether the cost is a distance rather than a squared one.
inline bool is_rooted(GroundCost cost) {
  return cost == GroundCost::kEuclidean || cost == GroundCost::kMahalanobis;
}

/// Each cost is a function of the Euclidean distance ("chord") between mapped
/// points: unit vectors for cosine, L'z for Mahalanobis. These convert.
double chord_of_cost(GroundCost cost, double value);
double cost_of_chord(GroundCost cost, double chord);

/// A factor L (dim x rank, at least one column) of the Mahalanobis matrix W =
/// L L', so that the cost |L'(z-u)|^2 is never negative. Throws InvalidArgument
/// when W is not square, finite, symmetric and positive semidefinite.
Matrix<double> factor_metric(MatrixView<const double> metric);

/// out = L' z.
void apply_factor(MatrixView<const double> factor, std::span<const double> z,
                  std::span<double> out);

/// d(z, u). `factor` is read by the Mahalanobis costs only. Rounding below zero
/// is clamped to 0.
double pair_cost(GroundCost cost, std::span<const double> z,
                 std::span<const double> u,
                 MatrixView<const double> factor = {});

/// out = grad_z d(z, u); 0 where a rooted cost is not differentiable (z = u).
void pair_gradient(GroundCost cost, std::span<const double> z,
                   std::span<const double> u, std::span<double> out,
                   MatrixView<const double> factor = {});

/// out = Hess_z d(z, u) p; 0 at z = u for rooted costs.
void pair_hessian_product(GroundCost cost, std::span<const double> z,
                          std::span<const double> u, std::span<const double> p,
                          std::span<double> out,
                          MatrixView<const double> factor = {});

}  // namespace sbog
