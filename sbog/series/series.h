// SPDX-License-Identifier: Apache-2.0
// A multivariate series: one row per moment, one column per channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// Values with the names of their channels and, if there are any, the times of
/// their rows as they stand in the file.
struct Series {
  std::string name;                   ///< what messages call it
  Matrix<double> values;              ///< rows x channels, finite
  std::vector<std::string> channels;  ///< one per column
  std::vector<std::string> times;     ///< one per row, or empty

  std::size_t rows() const { return values.rows(); }
  std::size_t channel_count() const { return values.cols(); }
};

/// A series around a matrix, channels named "0", "1" and so on.
Series make_series(std::string name, Matrix<double> values);

/// Columns that hold one value only.
std::vector<std::size_t> constant_channels(MatrixView<const double> values);

/// One thing that is watched: a machine, a telemetry channel, a plant.
struct SeriesEntity {
  std::string name;
  Series train;
  Series test;
  /// One per test row, 1 = anomaly; empty when unknown.
  std::vector<std::int64_t> labels;
};

}  // namespace sbog
