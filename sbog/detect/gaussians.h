// SPDX-License-Identifier: Apache-2.0
// Class Gaussians with one covariance, and one Gaussian for all rows: the
// relative Mahalanobis score of Ren et al., "A simple fix to Mahalanobis
// distance for improving near-OOD detection", 2021,
//   min_c d_c(z) - d_0(z),  d_c(z) = (z - m_c)' S^-1 (z - m_c),
// with S pooled over the classes, and m_0, S_0 those of all rows. Covariances
// are shrunk, S <- (1 - a) S + a tr(S) / dim I, so that they can be inverted
// when there are fewer rows than dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/detect/labelled_bank.h"

namespace sbog::detect {

/// Covariance of the rows around the means of their classes, divided by the
/// number of rows; symmetric, in full.
Matrix<double> within_class_covariance(const LabelledBank& bank);

/// (1 - share) covariance + share tr / dim I. Throws InvalidArgument unless
/// 0 <= share <= 1.
Matrix<double> shrunk_covariance(MatrixView<const double> covariance,
                                 double share);

/// A Gaussian as its whitening map: d(z) = |z W - m W|^2, W W' = S^-1.
struct Whitener {
  Matrix<double> means;  ///< one per class
  Matrix<double> map;    ///< W, dim x dim
};

/// Squared Mahalanobis distances.
struct GaussianScores {
  std::vector<double> scores;        ///< see ClassGaussians::score
  std::vector<std::size_t> classes;  ///< nearest class; ties to the smaller
};

/// See the top of the file.
class ClassGaussians {
 public:
  /// Takes what fit_gaussians found; throws InvalidArgument for shapes that do
  /// not fit together.
  ClassGaussians(Whitener tied, Whitener global);

  std::size_t dim() const { return tied_.map.rows(); }
  std::size_t class_count() const { return tied_.means.rows(); }
  const Whitener& tied() const { return tied_; }
  const Whitener& global() const { return global_; }

  /// min_c d_c - d_0 of every row; with a single class, where both Gaussians
  /// are the same, d_1 alone.
  GaussianScores score(MatrixView<const float> points,
                       const Context& context = {}) const;

  /// Shares of the features in d_c(z): (z - m_c)_j (S^-1 (z - m_c))_j, which
  /// add up to d_c(z). A share may be negative.
  std::vector<double> contributions(std::span<const float> point,
                                    std::size_t cls) const;

 private:
  Whitener tied_;
  Whitener global_;
  Matrix<double> tied_means_;    // whitened
  Matrix<double> global_means_;  // whitened
};

/// Throws InvalidArgument where no class has two different rows, and for a
/// `shrinkage` outside (0, 1].
ClassGaussians fit_gaussians(const LabelledBank& bank, double shrinkage);

}  // namespace sbog::detect
