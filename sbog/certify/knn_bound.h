// SPDX-License-Identifier: Apache-2.0
// What n points say about the distance to the k-th neighbour: the paper's
// Theorem C.1 with plug-in constants, and the bound that a k-NN decision really
// obeys, the same kl bound as that of energies.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sbog/certify/certificate.h"

namespace sbog {

/// nu(B(v, r)) <= constant * r^exponent for r <= largest_radius. Plug-in:
/// fitted to the sample, not known of the law.
struct BallMassFit {
  double constant = 0.0;  ///< C, the smallest one that covers all radii
  double exponent = 0.0;  ///< m, the slope of log mass over log radius
  double largest_radius = 0.0;
  std::size_t radii = 0;  ///< positive radii that took part
};

/// Fits the masses i/n of the radii r_1 <= r_2 <= ... of the nearest points of
/// one v among n, by least squares on logarithms. Throws InvalidArgument for
/// radii that are negative, not finite or decreasing, for more than n of them,
/// and for fewer than two distinct positive ones.
BallMassFit fit_ball_mass(std::span<const double> radii, double n);

/// Theorem C.1: if n < k / (2 C r^m), the k-th neighbour is farther than r with
/// a probability of at least 1 - exp(-k/6).
struct KnnBound {
  bool is_vacuous = true;
  std::string reason;          ///< one sentence; empty unless vacuous
  double probability = 0.0;    ///< 0 when vacuous
  double largest_count = 0.0;  ///< k / (2 C r^m): n must be below
  Evidence evidence = Evidence::kPlugIn;
};

/// A bound on how small the k-NN radius can get; it says nothing about the
/// stability of a decision. Throws InvalidArgument for k = 0, n < 1, a radius
/// that is not positive or a fit without a mass.
KnnBound knn_radius_bound(const BallMassFit& fit, std::size_t k, double radius,
                          double n);

/// Bound on the probability that n points decide "the k-th neighbour is farther
/// than tau" otherwise than k/n against the mass nu(B(v, tau)):
/// exp(-n kl(k/n||mass)). Throws InvalidArgument unless 1 <= k <= n and the
/// mass is a probability.
double knn_flip_probability(std::size_t k, double n, double mass);

/// log(pool/delta) / kl(share||mass) with share = k/n held fixed: the n from
/// which all decisions of a pool with no mass closer to it agree with the
/// population's. +inf when they are equal.
double knn_required_count(double share, double mass, double pool, double delta);

}  // namespace sbog
