// SPDX-License-Identifier: Apache-2.0
// See regions.h.
#include "sbog/stress/regions.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sbog::stress {
namespace {

constexpr std::size_t kSteps = 5;
constexpr std::size_t kPointsEach = 50;
constexpr std::size_t kFewestPoints = 40;
constexpr std::size_t kMostRegions = 8;

template <typename A, typename B>
double squared_distance(std::span<const A> a, std::span<const B> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double d = static_cast<double>(a[k]) - static_cast<double>(b[k]);
    sum += d * d;
  }
  return sum;
}

// The mean of the points of each region; of an empty one what it was.
template <typename T>
void move_centres(MatrixView<const T> points,
                  const std::vector<std::size_t>& of_point,
                  Matrix<double>& centres) {
  Matrix<double> sums(centres.rows(), centres.cols());
  std::vector<std::size_t> counts(centres.rows(), 0);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto row = points.row(i);
    const auto sum = sums.row(of_point[i]);
    for (std::size_t k = 0; k < row.size(); ++k) sum[k] += row[k];
    ++counts[of_point[i]];
  }
  for (std::size_t r = 0; r < centres.rows(); ++r) {
    if (counts[r] == 0) continue;
    for (std::size_t k = 0; k < centres.cols(); ++k) {
      centres(r, k) = sums(r, k) / static_cast<double>(counts[r]);
    }
  }
}

template <typename T>
std::vector<std::size_t> nearest_centres(MatrixView<const T> points,
                                         const Matrix<double>& centres) {
  std::vector<std::size_t> of_point(points.rows(), 0);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < centres.rows(); ++r) {
      const double d =
          squared_distance<T, double>(points.row(i), centres.row(r));
      if (d < best) {
        best = d;
        of_point[i] = r;
      }
    }
  }
  return of_point;
}

// Points far from each other; fewer than asked for where points are equal.
template <typename T>
Matrix<double> far_points(MatrixView<const T> points, std::size_t count) {
  Matrix<double> mean(1, points.cols());
  move_centres(points, std::vector<std::size_t>(points.rows(), 0), mean);
  std::vector<double> distance(points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    distance[i] =
        squared_distance<T, double>(points.row(i), std::as_const(mean).row(0));
  }
  std::vector<std::size_t> chosen;
  while (chosen.size() < count) {
    const auto farthest = static_cast<std::size_t>(
        std::max_element(distance.begin(), distance.end()) - distance.begin());
    if (!chosen.empty() && !(distance[farthest] > 0.0)) break;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      const double d =
          squared_distance<T, T>(points.row(i), points.row(farthest));
      distance[i] = chosen.empty() ? d : std::min(distance[i], d);
    }
    chosen.push_back(farthest);
  }
  Matrix<double> centres(chosen.size(), points.cols());
  for (std::size_t r = 0; r < chosen.size(); ++r) {
    const auto row = points.row(chosen[r]);
    std::copy(row.begin(), row.end(), centres.row(r).begin());
  }
  return centres;
}

}  // namespace

template <typename T>
Regions find_regions(MatrixView<const T> points, std::size_t count) {
  Regions regions;
  if (points.rows() == 0) return regions;
  Matrix<double> centres = far_points(points, std::max<std::size_t>(1, count));
  std::vector<std::size_t> of_point = nearest_centres(points, centres);
  for (std::size_t step = 0; step < kSteps; ++step) {
    move_centres(points, of_point, centres);
    of_point = nearest_centres(points, centres);
  }
  std::vector<std::size_t> sizes(centres.rows(), 0);
  std::vector<std::size_t> nearest(centres.rows(), points.rows());
  std::vector<double> least(centres.rows(),
                            std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const std::size_t r = of_point[i];
    ++sizes[r];
    const double d = squared_distance<T, double>(points.row(i),
                                                 std::as_const(centres).row(r));
    if (d < least[r]) {
      least[r] = d;
      nearest[r] = i;
    }
  }
  std::vector<std::size_t> order(centres.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::vector<std::size_t> number(centres.rows(), 0);
  for (const std::size_t r : order) {
    if (sizes[r] == 0) continue;
    number[r] = regions.centres.size();
    regions.centres.push_back(nearest[r]);
  }
  for (const std::size_t r : of_point) regions.of_point.push_back(number[r]);
  return regions;
}

template Regions find_regions(MatrixView<const float>, std::size_t);
template Regions find_regions(MatrixView<const double>, std::size_t);

std::size_t region_count(std::size_t points) {
  if (points < kFewestPoints) return 1;
  return std::clamp<std::size_t>(points / kPointsEach, 2, kMostRegions);
}

}  // namespace sbog::stress
