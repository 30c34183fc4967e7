// SPDX-License-Identifier: Apache-2.0
// Kernel sums row by row; see mmd.h.
#include "sbog/metrics/mmd.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/energy/score_bank.h"
#include "sbog/metrics/detail/points.h"
#include "sbog/metrics/detail/streams.h"

namespace sbog {
namespace {

void check_limit(std::size_t limit, std::size_t least, const char* name) {
  if (limit >= least) return;
  throw InvalidArgument(std::string(name) + ": at least " +
                        std::to_string(least) + " is expected, got " +
                        std::to_string(limit));
}

template <typename T>
void check_samples(MatrixView<const T> first, MatrixView<const T> second) {
  check_points(first, GroundCost::kSquaredEuclidean, "first sample");
  check_points(second, GroundCost::kSquaredEuclidean, "second sample");
  detail::check_same_dimension(first.cols(), second.cols(), "second sample");
}

// The drawn points of first and second together.
template <typename T>
Matrix<double> draw_from_both(MatrixView<const T> first,
                              MatrixView<const T> second,
                              const MmdOptions& options) {
  const std::vector<std::size_t> drawn =
      draw_subset(first.rows() + second.rows(), options.bandwidth_limit,
                  options.seed, detail::kBandwidthPurpose);
  Matrix<double> points(drawn.size(), first.cols());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const bool is_first = drawn[i] < first.rows();
    const auto row =
        is_first ? first.row(drawn[i]) : second.row(drawn[i] - first.rows());
    std::copy(row.begin(), row.end(), points.row(i).begin());
  }
  return points;
}

// Sum of k over the pairs (i, j) of two samples; of one sample with itself
// over i < j. Row sums are added in the order of the rows.
double kernel_sum(const Matrix<double>& a, const Matrix<double>& b,
                  bool is_same, double gamma, const Context& context) {
  std::vector<double> rows(a.rows(), 0.0);
  parallel_for(context, a.rows(), [&](std::size_t i, std::size_t) {
    double sum = 0.0;
    for (std::size_t j = is_same ? i + 1 : 0; j < b.rows(); ++j) {
      sum += std::exp(-gamma * detail::squared_distance(a.row(i), b.row(j)));
    }
    rows[i] = sum;
  });
  double total = 0.0;
  for (const double row : rows) total += row;
  return total;
}

// What the kernel sums of one sample say about its mean k(a, a').
struct WithinMean {
  double biased = 0.0;
  double unbiased = 0.0;
};

WithinMean within_mean(const Matrix<double>& sample, double gamma,
                       const Context& context) {
  const double twice = 2.0 * kernel_sum(sample, sample, true, gamma, context);
  const auto count = static_cast<double>(sample.rows());
  return {(twice + count) / (count * count),
          count < 2.0 ? 0.0 : twice / (count * (count - 1.0))};
}

}  // namespace

template <typename T>
std::optional<double> median_distance(MatrixView<const T> first,
                                      MatrixView<const T> second,
                                      const MmdOptions& options) {
  check_samples(first, second);
  const Matrix<double> points = draw_from_both(first, second, options);
  if (points.rows() < 2) return std::nullopt;
  std::vector<double> distances;
  distances.reserve(points.rows() * (points.rows() - 1) / 2);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      distances.push_back(
          std::sqrt(detail::squared_distance(points.row(i), points.row(j))));
    }
  }
  const auto middle =
      distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  if (distances.size() % 2 == 1) return *middle;
  return (*std::max_element(distances.begin(), middle) + *middle) / 2.0;
}

template <typename T>
MmdResult mmd_squared(MatrixView<const T> first, MatrixView<const T> second,
                      const MmdOptions& options, const Context& context) {
  check_limit(options.sample_limit, 1, "sample limit");
  check_limit(options.bandwidth_limit, 2, "bandwidth limit");
  if (!(options.bandwidth >= 0.0) || std::isinf(options.bandwidth)) {
    throw InvalidArgument(
        "bandwidth: a finite number of at least 0 is expected, got " +
        std::to_string(options.bandwidth));
  }
  check_samples(first, second);
  MmdResult result;
  result.bandwidth = options.bandwidth > 0.0
                         ? options.bandwidth
                         : median_distance(first, second, options).value_or(0);
  if (!(result.bandwidth > 0.0)) {
    throw InvalidArgument(
        "bandwidth: the median distance is 0, distinct points are expected");
  }
  const double gamma = 1.0 / (2.0 * result.bandwidth * result.bandwidth);
  const auto drawn = [&](MatrixView<const T> sample, std::uint32_t purpose) {
    return detail::copy_rows(
        sample, draw_subset(sample.rows(), options.sample_limit, options.seed,
                            purpose));
  };
  const Matrix<double> v = drawn(first, detail::kFirstSamplePurpose);
  const Matrix<double> z = drawn(second, detail::kSecondSamplePurpose);
  result.first_count = v.rows();
  result.second_count = z.rows();
  const WithinMean of_v = within_mean(v, gamma, context);
  const WithinMean of_z = within_mean(z, gamma, context);
  const double between =
      kernel_sum(v, z, false, gamma, context) /
      (static_cast<double>(v.rows()) * static_cast<double>(z.rows()));
  // A squared norm; only rounding can make it negative.
  result.biased = std::max(0.0, of_v.biased + of_z.biased - 2.0 * between);
  if (v.rows() >= 2 && z.rows() >= 2) {
    result.unbiased = of_v.unbiased + of_z.unbiased - 2.0 * between;
  }
  return result;
}

template std::optional<double> median_distance(MatrixView<const float>,
                                               MatrixView<const float>,
                                               const MmdOptions&);
template std::optional<double> median_distance(MatrixView<const double>,
                                               MatrixView<const double>,
                                               const MmdOptions&);
template MmdResult mmd_squared(MatrixView<const float>, MatrixView<const float>,
                               const MmdOptions&, const Context&);
template MmdResult mmd_squared(MatrixView<const double>,
                               MatrixView<const double>, const MmdOptions&,
                               const Context&);

}  // namespace sbog
