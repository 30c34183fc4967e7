// SPDX-License-Identifier: Apache-2.0
// The series of embedded_series.h: two waves, a mixture of them that lags
// behind, and a switch, each with a little noise from a fixed Philox stream.
#include "sbog/job/embedded_series.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "sbog/base/philox.h"

namespace sbog::job {
namespace {

constexpr std::size_t kChannels = 4;
constexpr std::size_t kTrainRows = 1200;
constexpr std::size_t kTestRows = 600;
constexpr std::size_t kFirstBad = 350;
constexpr std::size_t kEndBad = 400;
constexpr std::uint64_t kSeriesSeed = 20240918;

double wave(double t, double period) {
  return std::sin(2.0 * std::numbers::pi * t / period);
}

// Rows [first, first + count) of one endless series.
Matrix<double> rows_from(std::size_t first, std::size_t count) {
  Matrix<double> values(count, kChannels);
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(first + i);
    PhiloxStream(kSeriesSeed, 0, 0, first + i).normals(0, values.row(i));
    for (double& x : values.row(i)) x *= 0.05;
    values(i, 0) += wave(t, 60.0);
    values(i, 1) += wave(t, 25.0);
    values(i, 2) += 0.6 * wave(t - 3.0, 60.0) + 0.4 * wave(t - 3.0, 25.0);
    values(i, 3) += (first + i) % 100 < 30 ? 1.0 : 0.0;
  }
  return values;
}

}  // namespace

Array embedded_series() {
  return to_array(rows_from(0, kTrainRows), "demo:series");
}

Array embedded_series_test() {
  Matrix<double> values = rows_from(kTrainRows, kTestRows);
  // Within its usual range, but no longer what the other channels say.
  for (std::size_t t = kFirstBad; t < kEndBad; ++t) {
    values(t, 2) = 0.9 - values(t, 2);
  }
  return to_array(std::move(values), "demo:series-test");
}

Array embedded_series_labels() {
  Matrix<double> labels(kTestRows, 1);
  for (std::size_t t = kFirstBad; t < kEndBad; ++t) labels(t, 0) = 1.0;
  return to_array(std::move(labels), "demo:series-labels");
}

}  // namespace sbog::job
