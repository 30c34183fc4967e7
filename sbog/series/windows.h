// SPDX-License-Identifier: Apache-2.0
// Windows of a series, without copying it, and the way back to single rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"

namespace sbog {

/// How a series is cut.
struct WindowOptions {
  std::size_t width = 200;
  std::size_t stride = 1;
  /// One more window that ends with the last row, so that every row is covered.
  bool has_tail = false;
};

/// First rows of the windows. Window i covers [i stride, i stride + width) for
/// i < floor((rows - width) / stride): the last full window is left out, as the
/// window counts of the literature have it; a tail window comes on top. Throws
/// InvalidArgument when the series is shorter than a window, or for a width or
/// stride of 0.
std::vector<std::size_t> window_starts(std::size_t rows,
                                       const WindowOptions& options);

/// 1 for each window with at least one row labelled 1.
std::vector<std::int64_t> window_labels(std::span<const std::int64_t> labels,
                                        std::span<const std::size_t> starts,
                                        std::size_t width);

/// Mean and standard deviation (divisor: rows) of each channel. A deviation
/// below 1e-8 becomes 1, so that such a channel is only shifted.
struct ChannelStatistics {
  std::vector<double> means;
  std::vector<double> deviations;
};
ChannelStatistics channel_statistics(MatrixView<const double> values);

/// (x - mean) / deviation as float; with `clip` > 0 kept within [-clip, clip].
Matrix<float> standardise(MatrixView<const double> values,
                          const ChannelStatistics& statistics,
                          double clip = 0.0);

/// How a row's score follows from the windows that cover it.
enum class PointMapping { kMean, kMax, kLastPoint, kCentre };

/// One score per row. kMean and kMax: over the windows that cover the row;
/// kLastPoint and kCentre: of the window whose last or middle row it is. Rows
/// without such a window take the score of the nearest row that has one.
/// Throws InvalidArgument without windows.
std::vector<double> map_to_points(std::span<const double> window_scores,
                                  std::span<const std::size_t> starts,
                                  std::size_t width, std::size_t rows,
                                  PointMapping mapping = PointMapping::kMean);

}  // namespace sbog
