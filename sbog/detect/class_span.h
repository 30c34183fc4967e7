// SPDX-License-Identifier: Apache-2.0
// How far a point is from the nearest class mean, seen only along the
// directions in which the class means differ:
//   s(z) = min_c |P (z - m_c)|^2,
// with P the orthogonal projection onto the span of m_c - m, m the mean of the
// class means. What a point has besides, in directions that tell no classes
// apart, does not count. With more classes than dimensions, and with a single
// class, which spans nothing, P leaves everything: the squared distance itself.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"

namespace sbog::detect {

/// See the top of the file.
class ClassSpan {
 public:
  /// From one mean per row. Directions along which the scatter of the means,
  /// divided by their number less 1, is below 1e-9 are left out.
  explicit ClassSpan(MatrixView<const double> means);

  /// Dimensions that P leaves.
  std::size_t rank() const { return means_.cols(); }

  /// s of every row; the same for any number of threads.
  std::vector<double> score(MatrixView<const float> points,
                            const Context& context = {}) const;

 private:
  Matrix<double> map_;    // dim x rank; empty: P leaves everything
  Matrix<double> means_;  // projected
};

}  // namespace sbog::detect
