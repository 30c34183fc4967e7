// SPDX-License-Identifier: Apache-2.0
// The embedded data of embedded_data.h, drawn from fixed Philox streams.
#include "sbog/job/embedded_data.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"

namespace sbog::job {
namespace {

constexpr std::size_t kDim = 4;
constexpr std::size_t kClasses = 3;
constexpr std::size_t kPerClass = 200;
constexpr std::size_t kOutliersPerClass = 20;
constexpr std::uint64_t kSeed = 20240917;
constexpr double kSpread = 0.12;

using Point = std::array<double, kDim>;

constexpr std::array<Point, kClasses> kCenters = {{
    {1.0, 0.0, 0.0, 0.0},
    {0.0, 1.0, 0.0, 0.0},
    {0.0, 0.0, 0.6, 0.8},
}};

void normalise(Point& point) {
  double norm2 = 0.0;
  for (const double x : point) norm2 += x * x;
  for (double& x : point) x /= std::sqrt(norm2);
}

Point draw(std::size_t cls, std::size_t k, double spread) {
  Point noise;
  PhiloxStream(kSeed, static_cast<std::uint32_t>(cls), 0, k)
      .normals(0, std::span<double>(noise));
  Point point = kCenters[cls];
  for (std::size_t i = 0; i < kDim; ++i) point[i] += spread * noise[i];
  normalise(point);
  return point;
}

Array to_rows(const std::vector<Point>& points, const std::string& name) {
  Matrix<double> matrix(points.size(), kDim);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::copy(points[i].begin(), points[i].end(), matrix.row(i).begin());
  }
  return to_array(std::move(matrix), name);
}

Array bank() {
  std::vector<Point> points;
  for (std::size_t i = 0; i < kClasses * kPerClass; ++i) {
    points.push_back(draw(i / kPerClass, i % kPerClass, kSpread));
  }
  return to_rows(points, "demo:bank");
}

// 0, 1, 2, each `per_class` times.
Array labels(std::size_t per_class, const std::string& name) {
  Matrix<double> values(kClasses * per_class, 1);
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const std::size_t label = i / per_class;
    values(i, 0) = static_cast<double>(label);
  }
  return to_array(std::move(values), name);
}

Array anchors() {
  return to_rows({kCenters.begin(), kCenters.end()}, "demo:anchors");
}

Array outliers() {
  std::vector<Point> points;
  for (std::size_t i = 0; i < kClasses * kOutliersPerClass; ++i) {
    points.push_back(draw(i / kOutliersPerClass, 2000 + i % kOutliersPerClass,
                          3.0 * kSpread));
  }
  return to_rows(points, "demo:outliers");
}

// The loss of a model that knows class 0 best: squared distance to its centre.
Array losses() {
  const Array rows = bank();
  const LoadedMatrix<double> points = to_matrix<double>(rows);
  Matrix<double> values(points.rows(), 1);
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t k = 0; k < kDim; ++k) {
      const double apart = points.view()(i, k) - kCenters[0][k];
      values(i, 0) += apart * apart;
    }
  }
  return to_array(std::move(values), "demo:losses");
}

Array queries() {
  std::vector<Point> points;
  for (std::size_t c = 0; c < kClasses; ++c) {
    points.push_back(draw(c, 1000, kSpread));
  }
  for (std::size_t c = 0; c < kClasses; ++c) {
    points.push_back(draw(c, 1001, 3.0 * kSpread));
  }
  for (std::size_t c = 0; c < kClasses; ++c) {
    Point between = kCenters[c];
    const Point& other = kCenters[(c + 1) % kClasses];
    for (std::size_t i = 0; i < kDim; ++i) between[i] += other[i];
    normalise(between);
    points.push_back(between);
  }
  return to_rows(points, "demo:queries");
}

// The series: two waves, a mixture of them that lags behind, and a switch, each
// with a little noise from a fixed Philox stream.
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

}  // namespace

bool is_embedded(const std::string& spec) { return spec.starts_with("demo:"); }

Array embedded_array(const std::string& spec) {
  if (spec == "demo:bank") return bank();
  if (spec == "demo:labels") return labels(kPerClass, spec);
  if (spec == "demo:losses") return losses();
  if (spec == "demo:queries") return queries();
  if (spec == "demo:anchors") return anchors();
  if (spec == "demo:outliers") return outliers();
  if (spec == "demo:outlier-labels") return labels(kOutliersPerClass, spec);
  if (spec == "demo:series") return embedded_series();
  if (spec == "demo:series-test") return embedded_series_test();
  if (spec == "demo:series-labels") return embedded_series_labels();
  throw InvalidArgument("'" + spec +
                        "' is not embedded data: demo:bank, demo:labels, "
                        "demo:losses, demo:queries, demo:anchors, "
                        "demo:outliers, demo:outlier-labels, demo:series, "
                        "demo:series-test and demo:series-labels are");
}

Array load_array(const std::string& spec, const ReadOptions& options) {
  return is_embedded(spec) ? embedded_array(spec) : read_array(spec, options);
}

std::vector<std::int64_t> load_labels(const std::string& spec) {
  if (spec.empty()) return {};
  return to_labels(load_array(spec));
}

}  // namespace sbog::job
