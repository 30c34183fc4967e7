// SPDX-License-Identifier: Apache-2.0
// Row-by-row scoring; see detector_stream.h.
#include "sbog/series/detector_stream.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/energy/threshold.h"

namespace sbog {

RollingThreshold::RollingThreshold(double base, double level,
                                   std::size_t window)
    : base_(base),
      level_(level),
      window_(window),
      period_(std::max<std::size_t>(window / 10, 1)),
      current_(base) {
  if (!(level > 0.0 && level < 1.0)) {
    throw InvalidArgument("level: a number in (0, 1) is expected, got " +
                          std::to_string(level));
  }
}

double RollingThreshold::push(double score) {
  if (window_ == 0) return base_;
  if (seen_ >= window_ && seen_ % period_ == 0) {
    ThresholdOptions options;
    options.rule = ThresholdRule::kConformal;
    options.level = level_;
    const double recent = calibrate_threshold(ring_, options).value;
    current_ = std::max(base_, recent);
  }
  if (ring_.size() < window_) {
    ring_.push_back(score);
  } else {
    ring_[seen_ % window_] = score;
  }
  ++seen_;
  return current_;
}

std::vector<double> rolling_thresholds(std::span<const double> scores,
                                       double base, double level,
                                       std::size_t window) {
  RollingThreshold threshold(base, level, window);
  std::vector<double> result;
  for (const double score : scores) result.push_back(threshold.push(score));
  return result;
}

DetectorStream::DetectorStream(const Detector& detector,
                               std::size_t recalibration)
    : detector_(&detector),
      signals_(detector.state().autoregression),
      threshold_(detector.threshold(detector.options().level),
                 detector.options().level, recalibration) {
  if (!detector.options().is_causal) {
    throw InvalidArgument(
        "DetectorStream: a causal detector is expected, this one looks at "
        "later rows");
  }
}

StreamScore DetectorStream::push(std::span<const double> row) {
  if (row.size() != detector_->channel_count()) {
    throw InvalidArgument("row " + std::to_string(rows_) + ": " +
                          std::to_string(detector_->channel_count()) +
                          " values are expected, got " +
                          std::to_string(row.size()));
  }
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (std::isfinite(row[c])) continue;
    throw InvalidArgument("row " + std::to_string(rows_) + ": channel '" +
                          detector_->state().channels[c] +
                          "' is not finite; a finite value is expected");
  }
  Matrix<float> scaled(1, row.size());
  detector_->state().scaling.apply(row, scaled.row(0));
  Matrix<float> seen(kSignalCount, row.size());
  signals_.push(scaled.row(0), seen);
  SignalSet signals;
  for (std::size_t s = 0; s < kSignalCount; ++s) {
    signals[s] = Matrix<float>(1, row.size());
    std::copy_n(seen.row(s).data(), row.size(), signals[s].data());
  }
  const Matrix<double> parts =
      view_parts(detector_->views(signals, {0, 1}), detector_->view_units());
  StreamScore result;
  result.parts.assign(parts.row(0).begin(), parts.row(0).end());
  result.score = smoothing_.push(row_sums(parts)[0]);
  result.threshold = threshold_.push(result.score);
  result.is_alarm = result.score > result.threshold;
  ++rows_;
  return result;
}

}  // namespace sbog
