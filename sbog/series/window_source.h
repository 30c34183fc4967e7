// SPDX-License-Identifier: Apache-2.0
// Windows of one series, raw and standardised, gathered by index: the series is
// kept once, channel by channel, so that a channel of a window is a slice.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/series/windows.h"

namespace sbog::series {

/// See the top of the file.
class WindowSource {
 public:
  /// `values`: rows x channels in raw units; `starts`: first rows of the
  /// windows; `statistics`: those of the training series. Throws
  /// InvalidArgument for a window past the end, without channels, or when the
  /// statistics have another number of channels.
  WindowSource(MatrixView<const double> values, std::vector<std::size_t> starts,
               std::size_t width, const ChannelStatistics& statistics);

  /// The windows of a training series with its own statistics.
  WindowSource(MatrixView<const double> values, const WindowOptions& options);

  std::size_t size() const { return starts_.size(); }
  std::size_t channels() const { return raw_.rows(); }
  std::size_t width() const { return width_; }
  const std::vector<std::size_t>& starts() const { return starts_; }
  const ChannelStatistics& statistics() const { return statistics_; }

  /// Window i, standardised, into channels x width.
  void fill(std::size_t i, MatrixView<float> rows) const;
  /// One channel of window i in raw units, and standardised.
  std::span<const double> raw(std::size_t i, std::size_t channel) const {
    return raw_.row(channel).subspan(starts_[i], width_);
  }
  std::span<const float> standardised(std::size_t i,
                                      std::size_t channel) const {
    return standardised_.row(channel).subspan(starts_[i], width_);
  }
  /// One channel of the whole series in raw units: what lies around a window.
  std::span<const double> raw_series(std::size_t channel) const {
    return raw_.row(channel);
  }
  /// Rows of the series.
  std::size_t rows() const { return raw_.cols(); }
  /// A raw value of a channel in standard units.
  float standardise(std::size_t channel, double value) const {
    return static_cast<float>((value - statistics_.means[channel]) /
                              statistics_.deviations[channel]);
  }

 private:
  Matrix<double> raw_;          // channels x rows
  Matrix<float> standardised_;  // channels x rows
  std::vector<std::size_t> starts_;
  std::size_t width_ = 0;
  ChannelStatistics statistics_;
};

}  // namespace sbog::series
