// SPDX-License-Identifier: Apache-2.0
// Rival generators that do not go through rounds of tests.
//
// VOS: a Gaussian per class with one tied covariance S = X'X/N + 1e-4 I; of
// `vos_draws` draws the least likely one is kept. Since the density depends on
// the length of the whitened draw only, the lengths are drawn (chi) and a
// direction is added for the winner: the same law.
//
// BOOD: gradient ascent on the cross entropy of a cosine classifier over the
// class anchors, from bank points that flip in the fewest steps, and a few
// steps on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog/sample/output.h"
#include "sbog/sample/prepared_class.h"

namespace sbog {

/// Class means and the factor of the tied covariance.
class TiedGaussian {
 public:
  /// `labels` are class numbers 0 .. classes - 1, one per row of `bank`. On the
  /// sphere the rows are normalised first.
  template <typename T>
  TiedGaussian(MatrixView<const T> bank, std::span<const std::uint32_t> labels,
               std::size_t classes, bool is_sphere);

  std::span<const double> mean(std::size_t cls) const {
    return means_.row(cls);
  }
  /// Lower factor L of S = L L'.
  MatrixView<const double> factor() const { return factor_; }

  /// The least likely of `draws` draws of the class, for output k.
  std::vector<double> draw(std::uint64_t seed, std::uint32_t cls,
                           std::uint32_t k, std::size_t draws) const;

 private:
  Matrix<double> means_;
  Matrix<double> factor_;
};

/// Gradient steps over the class boundary.
class BoundaryWalk {
 public:
  /// `anchors` has one unit class anchor per row, at least two.
  BoundaryWalk(MatrixView<const double> anchors, double step,
               double temperature)
      : anchors_(anchors), step_(step), temperature_(temperature) {}

  /// Class whose anchor is closest.
  std::size_t classify(std::span<const double> point) const;
  /// One ascent step on the sphere, away from class `cls`.
  void ascend(std::size_t cls, std::span<double> point) const;
  /// Steps until the class is no longer `cls`; `limit` + 1 when it stays.
  std::size_t steps_to_flip(std::size_t cls, std::span<double> point,
                            std::size_t limit) const;

 private:
  MatrixView<const double> anchors_;
  double step_;
  double temperature_;
};

}  // namespace sbog
