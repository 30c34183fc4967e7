// SPDX-License-Identifier: Apache-2.0
// Mean pairwise cosine by the identity of diversity.h.
#include "sbog/metrics/diversity.h"

#include <cstddef>
#include <vector>

#include "sbog/base/labels.h"
#include "sbog/energy/reference_measure.h"
#include "sbog/metrics/detail/points.h"

namespace sbog {
namespace {

// At least two rows, all checked.
template <typename T>
double diversity_of_rows(MatrixView<const T> points,
                         std::span<const std::size_t> rows) {
  std::vector<double> sum(points.cols(), 0.0);
  std::vector<double> unit(points.cols());
  for (const std::size_t row : rows) {
    detail::unit_row(points.row(row), std::span<double>(unit));
    for (std::size_t k = 0; k < unit.size(); ++k) sum[k] += unit[k];
  }
  const auto count = static_cast<double>(rows.size());
  const double pairs = count * (count - 1.0);
  return 1.0 - (detail::dot(sum, sum) - count) / pairs;
}

}  // namespace

template <typename T>
std::optional<double> diversity(MatrixView<const T> points) {
  if (points.rows() == 0) return std::nullopt;
  check_points(points, GroundCost::kCosine, "points");
  if (points.rows() < 2) return std::nullopt;
  return diversity_of_rows(points, all_rows(points.rows()));
}

template <typename T>
std::optional<double> diversity_within_classes(
    MatrixView<const T> points, std::span<const std::int64_t> classes) {
  check_label_count(classes, points.rows(), "classes");
  if (points.rows() == 0) return std::nullopt;
  check_points(points, GroundCost::kCosine, "points");
  double sum = 0.0;
  std::size_t counted = 0;
  for (const auto& [label, rows] : rows_by_label(classes)) {
    if (rows.size() < 2) continue;
    sum += diversity_of_rows<T>(points, rows);
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  return sum / static_cast<double>(counted);
}

template std::optional<double> diversity(MatrixView<const float>);
template std::optional<double> diversity(MatrixView<const double>);
template std::optional<double> diversity_within_classes(
    MatrixView<const float>, std::span<const std::int64_t>);
template std::optional<double> diversity_within_classes(
    MatrixView<const double>, std::span<const std::int64_t>);

}  // namespace sbog
