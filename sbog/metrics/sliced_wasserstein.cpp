// SPDX-License-Identifier: Apache-2.0
// Eight directions at a time: project, sort, merge. See sliced_wasserstein.h.
#include "sbog/metrics/sliced_wasserstein.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "sbog/base/errors.h"
#include "sbog/base/philox.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/metrics/detail/points.h"
#include "sbog/metrics/detail/streams.h"

namespace sbog {
namespace {

/// Directions that share one reading of the points, when their projections fit.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kMaxPointsOfLanes = std::size_t{1} << 20;

// Directions side by side: element k * lanes + lane. Lanes beyond the
// last direction are zero.
std::vector<double> pack_directions(MatrixView<const double> directions,
                                    std::size_t first, std::size_t lanes) {
  std::vector<double> packed(directions.cols() * lanes, 0.0);
  const std::size_t count = std::min(lanes, directions.rows() - first);
  for (std::size_t lane = 0; lane < count; ++lane) {
    for (std::size_t k = 0; k < directions.cols(); ++k) {
      packed[k * lanes + lane] = directions(first + lane, k);
    }
  }
  return packed;
}

// out[lane * rows + i] = <point i, direction lane>, summed in the order of the
// coordinates whatever the number of lanes.
template <std::size_t kCount, typename T>
void project(MatrixView<const T> points, const std::vector<double>& packed,
             std::vector<double>& out) {
  const std::size_t rows = points.rows();
  out.resize(rows * kCount);
  for (std::size_t i = 0; i < rows; ++i) {
    const T* row = points.row(i).data();
    std::array<double, kCount> sums = {};
    for (std::size_t k = 0; k < points.cols(); ++k) {
      const auto x = static_cast<double>(row[k]);
      const double* direction = packed.data() + k * kCount;
      for (std::size_t lane = 0; lane < kCount; ++lane) {
        sums[lane] += x * direction[lane];
      }
    }
    for (std::size_t lane = 0; lane < kCount; ++lane) {
      out[lane * rows + i] = sums[lane];
    }
  }
}

template <typename T>
void project(MatrixView<const T> points, const std::vector<double>& packed,
             std::size_t lanes, std::vector<double>& out) {
  if (lanes == kLanes) {
    project<kLanes>(points, packed, out);
  } else {
    project<1>(points, packed, out);
  }
}

std::span<const double> sorted_lane(std::vector<double>& projections,
                                    std::size_t rows, std::size_t lane) {
  const std::span<double> mine(projections.data() + lane * rows, rows);
  std::sort(mine.begin(), mine.end());
  return mine;
}

// The projections of one worker.
struct Scratch {
  std::vector<double> first;
  std::vector<double> second;
};

}  // namespace

double wasserstein2_squared(std::span<const double> first,
                            std::span<const double> second) {
  if (first.empty() || second.empty()) {
    throw InvalidArgument("samples: at least one value in each is expected");
  }
  // On the grid of 1 / (n m / g) both step functions break at whole numbers:
  // the first every m / g, the second every n / g.
  const std::size_t common = std::gcd(first.size(), second.size());
  const std::size_t first_step = second.size() / common;
  const std::size_t second_step = first.size() / common;
  double sum = 0.0;
  std::size_t i = 0;
  std::size_t j = 0;
  std::size_t left_of_first = first_step;
  std::size_t left_of_second = second_step;
  while (i < first.size()) {
    const std::size_t width = std::min(left_of_first, left_of_second);
    const double difference = first[i] - second[j];
    sum += static_cast<double>(width) * (difference * difference);
    left_of_first -= width;
    left_of_second -= width;
    if (left_of_first == 0) {
      ++i;
      left_of_first = first_step;
    }
    if (left_of_second == 0) {
      ++j;
      left_of_second = second_step;
    }
  }
  return sum / static_cast<double>(first.size()) /
         static_cast<double>(first_step);
}

Matrix<double> draw_directions(std::size_t count, std::size_t dim,
                               std::uint64_t seed) {
  if (dim == 0) {
    throw InvalidArgument("directions: at least one dimension is expected");
  }
  const std::array<std::uint32_t, 2> key = {
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  Matrix<double> directions(count, dim);
  std::vector<double> normals(dim);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < dim; k += 2) {
      const PhiloxBlock bits = philox4x32(
          {static_cast<std::uint32_t>(i), PhiloxStream::kReservedClass << 16,
           static_cast<std::uint32_t>(k / 2), detail::kDirectionPurpose},
          key);
      const std::array<double, 2> pair =
          box_muller(to_uniform(bits.low64()), to_uniform(bits.high64()));
      normals[k] = pair[0];
      if (k + 1 < dim) normals[k + 1] = pair[1];
    }
    const std::span<const double> drawn(normals);
    // All normals zero has no direction; it is as good as impossible.
    if (!detail::unit_row(drawn, directions.row(i))) directions(i, 0) = 1.0;
  }
  return directions;
}

template <typename T>
SlicedWassersteinResult sliced_wasserstein(MatrixView<const T> first,
                                           MatrixView<const T> second,
                                           MatrixView<const double> directions,
                                           const Context& context) {
  check_points(first, GroundCost::kSquaredEuclidean, "first sample");
  check_points(second, GroundCost::kSquaredEuclidean, "second sample");
  check_points(directions, GroundCost::kSquaredEuclidean, "directions");
  detail::check_same_dimension(first.cols(), second.cols(), "second sample");
  detail::check_same_dimension(first.cols(), directions.cols(), "directions");
  SlicedWassersteinResult result;
  result.squared.resize(directions.rows());
  std::vector<Scratch> scratch(worker_count(context));
  ProgressCounter progress(context.observer, directions.rows());
  const std::size_t lanes =
      first.rows() + second.rows() <= kMaxPointsOfLanes ? kLanes : 1;
  const std::size_t blocks = (directions.rows() + lanes - 1) / lanes;
  parallel_for(context, blocks, [&](std::size_t block, std::size_t worker) {
    if (progress.is_cancelled()) return;
    const std::size_t start = block * lanes;
    const std::size_t count = std::min(lanes, directions.rows() - start);
    const std::vector<double> packed =
        pack_directions(directions, start, lanes);
    Scratch& mine = scratch[worker];
    project(first, packed, lanes, mine.first);
    project(second, packed, lanes, mine.second);
    for (std::size_t lane = 0; lane < count; ++lane) {
      result.squared[start + lane] =
          wasserstein2_squared(sorted_lane(mine.first, first.rows(), lane),
                               sorted_lane(mine.second, second.rows(), lane));
    }
    progress.add(count);
  });
  if (progress.is_cancelled()) result.status = SolveStatus::kCancelled;
  const double sum =
      std::accumulate(result.squared.begin(), result.squared.end(), 0.0);
  result.value = std::sqrt(sum / static_cast<double>(directions.rows()));
  return result;
}

template <typename T>
SlicedWassersteinResult sliced_wasserstein(
    MatrixView<const T> first, MatrixView<const T> second,
    const SlicedWassersteinOptions& options, const Context& context) {
  if (options.directions == 0) {
    throw InvalidArgument("directions: at least one is expected");
  }
  const Matrix<double> directions =
      draw_directions(options.directions, first.cols(), options.seed);
  return sliced_wasserstein(first, second, directions.view(), context);
}

template SlicedWassersteinResult sliced_wasserstein(MatrixView<const float>,
                                                    MatrixView<const float>,
                                                    MatrixView<const double>,
                                                    const Context&);
template SlicedWassersteinResult sliced_wasserstein(MatrixView<const double>,
                                                    MatrixView<const double>,
                                                    MatrixView<const double>,
                                                    const Context&);
template SlicedWassersteinResult sliced_wasserstein(
    MatrixView<const float>, MatrixView<const float>,
    const SlicedWassersteinOptions&, const Context&);
template SlicedWassersteinResult sliced_wasserstein(
    MatrixView<const double>, MatrixView<const double>,
    const SlicedWassersteinOptions&, const Context&);

}  // namespace sbog
