// SPDX-License-Identifier: Apache-2.0
// Helpers of series.h.
#include "sbog/series/series.h"

#include <utility>

namespace sbog {

Series make_series(std::string name, Matrix<double> values) {
  Series series;
  series.name = std::move(name);
  series.values = std::move(values);
  for (std::size_t c = 0; c < series.values.cols(); ++c) {
    series.channels.push_back(std::to_string(c));
  }
  return series;
}

std::vector<std::size_t> constant_channels(MatrixView<const double> values) {
  std::vector<bool> varies(values.cols());
  for (std::size_t t = 1; t < values.rows(); ++t) {
    for (std::size_t c = 0; c < values.cols(); ++c) {
      if (values(t, c) != values(0, c)) varies[c] = true;
    }
  }
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < varies.size(); ++c) {
    if (!varies[c]) found.push_back(c);
  }
  return found;
}

}  // namespace sbog
