// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of detectors: small labelled banks and pools of several
// sizes.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracle/calls.h"
#include "sbog/base/philox.h"
#include "sbog/detect/labelled_bank.h"

namespace sbog::testing_support {

/// Rows around `classes` directions: row i is of class i mod classes, moved by
/// noise of the given length per coordinate.
inline Matrix<float> clustered_points(std::size_t rows, std::size_t dim,
                                      std::size_t classes, double noise,
                                      std::uint64_t seed) {
  Matrix<float> points(rows, dim);
  std::vector<double> g(dim);
  for (std::size_t i = 0; i < rows; ++i) {
    PhiloxStream(seed, 0, 0, i).normals(0, std::span<double>(g));
    for (std::size_t j = 0; j < dim; ++j) {
      // Features differ in spread, so that the shape of the noise matters.
      const double spread = noise * (1.0 + static_cast<double>(j % 3));
      points(i, j) =
          static_cast<float>(spread * g[j] + (j == i % classes ? 1.0 : 0.0));
    }
  }
  return points;
}

/// Labels 10, 20, 30, .. of clustered_points().
inline std::vector<std::int64_t> clustered_labels(std::size_t rows,
                                                  std::size_t classes) {
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < rows; ++i) {
    labels.push_back(10 * static_cast<std::int64_t>(i % classes + 1));
  }
  return labels;
}

/// Both together.
inline detect::LabelledBank clustered_bank(std::size_t rows, std::size_t dim,
                                           std::size_t classes,
                                           double noise = 0.1,
                                           std::uint64_t seed = 1) {
  return detect::make_bank(clustered_points(rows, dim, classes, noise, seed),
                           clustered_labels(rows, classes), "bank");
}

/// The elements of a matrix, to compare.
template <typename T>
std::vector<T> listed(const Matrix<T>& matrix) {
  return {matrix.elements().begin(), matrix.elements().end()};
}

}  // namespace sbog::testing_support
