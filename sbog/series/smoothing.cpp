// SPDX-License-Identifier: Apache-2.0
// Moving means, each added up afresh: a running sum would carry the rounding of
// one huge value into all later rows; see smoothing.h.
#include "sbog/series/smoothing.h"

#include <algorithm>

namespace sbog {
namespace {

std::size_t rows_before(std::size_t width, WindowSide side) {
  return side == WindowSide::kCentred ? width / 2 : width - 1;
}

// The mean of value_at(0) ... value_at(width - 1), oldest first.
template <class ValueAt>
double mean_of(std::size_t width, const ValueAt& value_at) {
  double sum = 0.0;
  for (std::size_t i = 0; i < width; ++i) sum += value_at(i);
  return sum / static_cast<double>(width);
}

std::size_t clamped(std::size_t t, std::size_t i, std::size_t before,
                    std::size_t rows) {
  const std::size_t shifted = t + i;
  return std::min(shifted >= before ? shifted - before : 0, rows - 1);
}

double box_at(std::span<const double> values, std::size_t t, std::size_t width,
              WindowSide side) {
  const std::size_t before = rows_before(width, side);
  if (t >= before && t - before + width <= values.size()) {
    const double* first = values.data() + (t - before);
    return mean_of(width, [&](std::size_t i) { return first[i]; });
  }
  return mean_of(width, [&](std::size_t i) {
    return values[clamped(t, i, before, values.size())];
  });
}

}  // namespace

std::vector<double> smooth_box(std::span<const double> values,
                               std::size_t width, WindowSide side) {
  std::vector<double> result(values.size());
  for (std::size_t t = 0; t < values.size(); ++t) {
    result[t] = box_at(values, t, width, side);
  }
  return result;
}

std::vector<double> smooth(std::span<const double> values, WindowSide side) {
  std::vector<double> result(values.size());
  for (std::size_t t = 0; t < values.size(); ++t) {
    double sum = 0.0;
    for (const std::size_t width : kSmoothingWidths) {
      sum += box_at(values, t, width, side);
    }
    result[t] = sum / static_cast<double>(kSmoothingWidths.size());
  }
  return result;
}

double SmoothingStream::push(double value) {
  if (!is_started_) {
    ring_.fill(value);
    is_started_ = true;
  }
  ring_[next_] = value;
  next_ = (next_ + 1) % ring_.size();
  double sum = 0.0;
  for (const std::size_t width : kSmoothingWidths) {
    const std::size_t oldest = next_ + ring_.size() - width;
    sum += mean_of(width, [&](std::size_t i) {
      return ring_[(oldest + i) % ring_.size()];
    });
  }
  return sum / static_cast<double>(kSmoothingWidths.size());
}

std::vector<RowWeight> smoothing_weights(std::size_t t, std::size_t rows,
                                         WindowSide side) {
  std::vector<RowWeight> result;
  const std::size_t before = rows_before(kLongestWidth, side);
  const std::size_t first = t >= before ? t - before : 0;
  const std::size_t end = std::min(rows, t + kLongestWidth - before);
  for (std::size_t row = first; row < end; ++row) result.push_back({row, 0.0});
  for (const std::size_t width : kSmoothingWidths) {
    const double share =
        1.0 / static_cast<double>(width * kSmoothingWidths.size());
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t row = clamped(t, i, rows_before(width, side), rows);
      result[row - first].weight += share;
    }
  }
  return result;
}

}  // namespace sbog
