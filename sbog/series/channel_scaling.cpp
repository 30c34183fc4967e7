// SPDX-License-Identifier: Apache-2.0
// Medians and ranges; see channel_scaling.h.
#include "sbog/series/channel_scaling.h"

#include <algorithm>

#include "sbog/base/errors.h"

namespace sbog {
namespace {

constexpr double kLeastRange = 1e-8;

double median_of(std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2.0;
}

}  // namespace

void ChannelScaling::apply(std::span<const double> row,
                           std::span<float> out) const {
  for (std::size_t c = 0; c < row.size(); ++c) {
    const double scaled = (row[c] - medians[c]) / units[c];
    out[c] = static_cast<float>(std::clamp(scaled, -kClip, kClip));
  }
}

Matrix<float> ChannelScaling::apply(MatrixView<const double> values) const {
  if (values.cols() != medians.size()) {
    throw InvalidArgument("series: " + std::to_string(medians.size()) +
                          " channels are expected, got " +
                          std::to_string(values.cols()));
  }
  Matrix<float> scaled(values.rows(), values.cols());
  for (std::size_t t = 0; t < values.rows(); ++t) {
    apply(values.row(t), scaled.row(t));
  }
  return scaled;
}

ChannelScaling fit_scaling(MatrixView<const double> train) {
  if (train.is_empty()) {
    throw InvalidArgument("training series: rows and channels are expected");
  }
  ChannelScaling scaling;
  std::vector<double> column(train.rows());
  std::vector<double> ranges;
  for (std::size_t c = 0; c < train.cols(); ++c) {
    for (std::size_t t = 0; t < train.rows(); ++t) column[t] = train(t, c);
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    const double range = *high - *low;
    if (range >= kLeastRange) ranges.push_back(range);
    scaling.units.push_back(range);
    scaling.medians.push_back(median_of(column));
  }
  const double common = ranges.empty() ? 1.0 : median_of(ranges);
  for (double& unit : scaling.units) {
    if (!(unit >= kLeastRange)) unit = common;
  }
  return scaling;
}

}  // namespace sbog
