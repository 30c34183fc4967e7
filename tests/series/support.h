// SPDX-License-Identifier: Apache-2.0
// Small series with known properties, for the tests of the room.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/base/philox.h"
#include "sbog/series/series.h"

namespace sbog::testing_support {

/// Standard normals, rows x channels, keyed by the seed.
inline Matrix<double> normal_rows(std::size_t rows, std::size_t channels,
                                  std::uint64_t seed) {
  Matrix<double> values(rows, channels);
  const PhiloxStream stream(seed, 0, 0, 0);
  stream.normals(0, values.elements());
  return values;
}

inline Matrix<float> to_float(const Matrix<double>& values) {
  Matrix<float> result(values.rows(), values.cols());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.data()[i] = static_cast<float>(values.data()[i]);
  }
  return result;
}

/// Waves with noise: channel c is sin(0.05 (c+1) t) + 0.05 noise; the last
/// channel is constant when `has_constant`.
inline Series waves(std::size_t rows, std::size_t channels, std::uint64_t seed,
                    bool has_constant = false) {
  Matrix<double> values = normal_rows(rows, channels, seed);
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t c = 0; c < channels; ++c) {
      const double angle = 0.05 * static_cast<double>((c + 1) * t);
      values(t, c) = std::sin(angle) + 0.05 * values(t, c);
      if (has_constant && c + 1 == channels) values(t, c) = 7.0;
    }
  }
  return make_series("waves", std::move(values));
}

/// The same with channel 0 lifted by `lift` in [first, end).
inline Series lifted_waves(std::size_t rows, std::size_t channels,
                           std::uint64_t seed, std::size_t first,
                           std::size_t end, double lift) {
  Series series = waves(rows, channels, seed);
  for (std::size_t t = first; t < end; ++t) series.values(t, 0) += lift;
  return series;
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace sbog::testing_support
