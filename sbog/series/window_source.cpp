// SPDX-License-Identifier: Apache-2.0
// Windows by index; see window_source.h.
#include "sbog/series/window_source.h"

#include <algorithm>
#include <utility>

#include "sbog/base/errors.h"

namespace sbog::series {

WindowSource::WindowSource(MatrixView<const double> values,
                           std::vector<std::size_t> starts, std::size_t width,
                           const ChannelStatistics& statistics)
    : raw_(values.cols(), values.rows()),
      standardised_(values.cols(), values.rows()),
      starts_(std::move(starts)),
      width_(width),
      statistics_(statistics) {
  if (values.cols() == 0 || statistics.means.size() != values.cols() ||
      statistics.deviations.size() != values.cols()) {
    throw InvalidArgument(
        "WindowSource: statistics of every channel of the series are "
        "expected");
  }
  for (const std::size_t start : starts_) {
    if (width == 0 || width > values.rows() || start > values.rows() - width) {
      throw InvalidArgument("WindowSource: the window from row " +
                            std::to_string(start) +
                            " does not end within the " +
                            std::to_string(values.rows()) + " rows");
    }
  }
  for (std::size_t t = 0; t < values.rows(); ++t) {
    for (std::size_t c = 0; c < values.cols(); ++c) {
      raw_(c, t) = values(t, c);
      standardised_(c, t) = standardise(c, values(t, c));
    }
  }
}

WindowSource::WindowSource(MatrixView<const double> values,
                           const WindowOptions& options)
    : WindowSource(values, window_starts(values.rows(), options), options.width,
                   channel_statistics(values)) {}

void WindowSource::fill(std::size_t i, MatrixView<float> rows) const {
  for (std::size_t c = 0; c < channels(); ++c) {
    std::copy_n(standardised(i, c).data(), width_, rows.row(c).data());
  }
}

}  // namespace sbog::series
