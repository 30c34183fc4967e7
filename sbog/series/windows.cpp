// SPDX-License-Identifier: Apache-2.0
// Cutting and mapping back; see windows.h.
#include "sbog/series/windows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

constexpr double kLeastDeviation = 1e-8;

// Fills gaps (NaN) with the nearest value; of two equally near the earlier.
void fill_from_nearest(std::vector<double>& values) {
  const std::size_t n = values.size();
  std::vector<std::size_t> next(n, n);
  for (std::size_t t = n; t-- > 0;) {
    next[t] = !std::isnan(values[t]) ? t : (t + 1 < n ? next[t + 1] : n);
  }
  std::size_t last = n;
  for (std::size_t t = 0; t < n; ++t) {
    if (next[t] == t) {
      last = t;
      continue;
    }
    const bool takes_last =
        last < n && (next[t] >= n || t - last <= next[t] - t);
    values[t] = values[takes_last ? last : next[t]];
  }
}

std::vector<double> covering_means(std::span<const double> scores,
                                   std::span<const std::size_t> starts,
                                   std::size_t width, std::size_t rows) {
  std::vector<double> sums(rows);
  std::vector<double> counts(rows);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    for (std::size_t t = starts[i]; t < starts[i] + width; ++t) {
      sums[t] += scores[i];
      counts[t] += 1.0;
    }
  }
  for (std::size_t t = 0; t < rows; ++t) sums[t] /= counts[t];  // 0/0: NaN
  return sums;
}

std::vector<double> largest_at(std::span<const double> scores,
                               std::span<const std::size_t> starts,
                               std::size_t first, std::size_t end,
                               std::size_t rows) {
  std::vector<double> result(rows, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    for (std::size_t t = starts[i] + first; t < starts[i] + end; ++t) {
      // fmax passes over the NaN of a row that has no value yet.
      result[t] = std::fmax(result[t], scores[i]);
    }
  }
  return result;
}

}  // namespace

std::vector<std::size_t> window_starts(std::size_t rows,
                                       const WindowOptions& options) {
  if (options.width == 0 || options.stride == 0) {
    throw InvalidArgument("windows: a width and a stride above 0 are expected");
  }
  if (rows < options.width) {
    throw InvalidArgument("windows: the series has " + std::to_string(rows) +
                          " rows; at least one window of " +
                          std::to_string(options.width) + " is expected");
  }
  std::vector<std::size_t> starts((rows - options.width) / options.stride);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    starts[i] = i * options.stride;
  }
  const std::size_t tail = rows - options.width;
  if (options.has_tail && (starts.empty() || starts.back() != tail)) {
    starts.push_back(tail);
  }
  return starts;
}

std::vector<std::int64_t> window_labels(std::span<const std::int64_t> labels,
                                        std::span<const std::size_t> starts,
                                        std::size_t width) {
  std::vector<std::size_t> before(labels.size() + 1);
  for (std::size_t t = 0; t < labels.size(); ++t) {
    before[t + 1] = before[t] + (labels[t] != 0 ? 1 : 0);
  }
  std::vector<std::int64_t> result;
  for (const std::size_t start : starts) {
    if (start + width > labels.size()) {
      throw InvalidArgument("window_labels: a window ends at row " +
                            std::to_string(start + width) + ", but there are " +
                            std::to_string(labels.size()) + " labels");
    }
    result.push_back(before[start + width] > before[start] ? 1 : 0);
  }
  return result;
}

ChannelStatistics channel_statistics(MatrixView<const double> values) {
  const std::size_t channels = values.cols();
  const auto rows = static_cast<double>(values.rows());
  ChannelStatistics result{std::vector<double>(channels),
                           std::vector<double>(channels)};
  for (std::size_t t = 0; t < values.rows(); ++t) {
    for (std::size_t c = 0; c < channels; ++c) result.means[c] += values(t, c);
  }
  for (double& mean : result.means) mean /= rows;
  for (std::size_t t = 0; t < values.rows(); ++t) {
    for (std::size_t c = 0; c < channels; ++c) {
      const double apart = values(t, c) - result.means[c];
      result.deviations[c] += apart * apart;
    }
  }
  for (double& deviation : result.deviations) {
    deviation = std::sqrt(deviation / rows);
    if (!(deviation >= kLeastDeviation)) deviation = 1.0;
  }
  return result;
}

Matrix<float> standardise(MatrixView<const double> values,
                          const ChannelStatistics& statistics, double clip) {
  if (values.cols() != statistics.means.size()) {
    throw InvalidArgument(
        "standardise: " + std::to_string(statistics.means.size()) +
        " channels are expected, got " + std::to_string(values.cols()));
  }
  Matrix<float> result(values.rows(), values.cols());
  for (std::size_t t = 0; t < values.rows(); ++t) {
    for (std::size_t c = 0; c < values.cols(); ++c) {
      double z =
          (values(t, c) - statistics.means[c]) / statistics.deviations[c];
      if (clip > 0.0) z = std::clamp(z, -clip, clip);
      result(t, c) = static_cast<float>(z);
    }
  }
  return result;
}

std::vector<double> map_to_points(std::span<const double> window_scores,
                                  std::span<const std::size_t> starts,
                                  std::size_t width, std::size_t rows,
                                  PointMapping mapping) {
  if (starts.empty() || window_scores.size() != starts.size()) {
    throw InvalidArgument(
        "map_to_points: at least one window and one score per window are "
        "expected");
  }
  if (starts.back() + width > rows) {
    throw InvalidArgument("map_to_points: the last window ends beyond row " +
                          std::to_string(rows));
  }
  std::vector<double> result;
  if (mapping == PointMapping::kMean) {
    result = covering_means(window_scores, starts, width, rows);
  } else {
    const std::size_t first = mapping == PointMapping::kMax         ? 0
                              : mapping == PointMapping::kLastPoint ? width - 1
                                                                    : width / 2;
    const std::size_t end = mapping == PointMapping::kMax ? width : first + 1;
    result = largest_at(window_scores, starts, first, end, rows);
  }
  fill_from_nearest(result);
  return result;
}

}  // namespace sbog
