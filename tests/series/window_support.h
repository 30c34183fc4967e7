// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of the series rooms: windows, fillers, comparisons, and
// a series with something to learn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "sbog/base/inner_product.h"
#include "sbog/base/matrix.h"
#include "sbog/nn/backbone.h"
#include "sbog/nn/random.h"
#include "sbog/series/window_source.h"

namespace sbog::series::testing_support {

/// rows x cols standard normals.
inline Matrix<float> normals(std::size_t rows, std::size_t cols,
                             std::uint64_t seed) {
  Matrix<float> values(rows, cols);
  nn::Draws draws(seed, nn::Purpose::kPairs, 1);
  for (float& value : values.elements()) {
    value = static_cast<float>(draws.normal());
  }
  return values;
}

/// Rows of 4 numbers and of length one.
inline Matrix<float> unit_rows(std::size_t count, std::uint64_t seed) {
  Matrix<float> points = normals(count, 4, seed);
  for (std::size_t i = 0; i < count; ++i) {
    const double length = norm_of<float>(points.row(i));
    for (float& value : points.row(i)) {
      value = static_cast<float>(value / length);
    }
  }
  return points;
}

/// Windows of the rows of a matrix, channel by channel.
inline FillWindow fill_from(const Matrix<float>& windows) {
  return [&windows](std::size_t b, MatrixView<float> rows) {
    for (std::size_t c = 0; c < rows.rows(); ++c) {
      std::copy_n(windows.row(b).data() + c * rows.cols(), rows.cols(),
                  rows.row(c).data());
    }
  };
}

/// Moves parameters away from the special values of initialisation.
inline void shake(nn::ParameterSet& set, std::uint64_t seed, double size) {
  nn::Draws draws(seed, nn::Purpose::kPairs, 2);
  for (float& value : set.flat()) {
    value += static_cast<float>(size * (draws.uniform() - 0.5));
  }
}

inline double largest_value(std::span<const float> values) {
  double largest = 0.0;
  for (const float v : values) largest = std::max(largest, std::abs(double{v}));
  return largest;
}

inline double largest_difference(std::span<const float> a,
                                 std::span<const float> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  }
  return largest;
}

/// Sines of several periods with a little noise; channel 1 is constant.
inline Matrix<double> make_waves(std::size_t rows, std::size_t channels,
                                 std::uint64_t seed) {
  Matrix<double> values(rows, channels);
  nn::Draws draws(seed, nn::Purpose::kPairs, 3);
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t c = 0; c < channels; ++c) {
      const double period = 12.0 + 7.0 * static_cast<double>(c);
      const double turn =
          2.0 * std::numbers::pi * static_cast<double>(t) / period;
      values(t, c) = c == 1 ? 0.25 : std::sin(turn) + 0.05 * draws.normal();
    }
  }
  return values;
}

}  // namespace sbog::series::testing_support
