// SPDX-License-Identifier: Apache-2.0
// Rows of points; see points.h.
#include "sbog/metrics/detail/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sbog/base/errors.h"

namespace sbog::detail {
namespace {

// Adds term(0) .. term(count - 1) in four interleaved sums.
template <typename Term>
double sum_of_terms(std::size_t count, const Term& term) {
  std::array<double, 4> sums = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += term(i + lane);
  }
  for (; i < count; ++i) sums[0] += term(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b) {
  return sum_of_terms(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  return sum_of_terms(a.size(), [&](std::size_t i) {
    const double difference = a[i] - b[i];
    return difference * difference;
  });
}

template <typename T>
bool unit_row(std::span<const T> row, std::span<double> out) {
  // Divided by the largest first, so that no square under- or overflows.
  double largest = 0.0;
  for (const T x : row) {
    largest = std::max(largest, std::abs(static_cast<double>(x)));
  }
  if (largest == 0.0) return false;
  const double squares = sum_of_terms(row.size(), [&](std::size_t i) {
    const double x = static_cast<double>(row[i]) / largest;
    return x * x;
  });
  const double norm = std::sqrt(squares);
  for (std::size_t i = 0; i < row.size(); ++i) {
    out[i] = static_cast<double>(row[i]) / largest / norm;
  }
  return true;
}

template <typename T>
Matrix<double> copy_rows(MatrixView<const T> points,
                         std::span<const std::size_t> rows) {
  Matrix<double> copy(rows.size(), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = points.row(rows[i]);
    std::copy(row.begin(), row.end(), copy.row(i).begin());
  }
  return copy;
}

template <typename T>
bool has_directions(MatrixView<const T> points) {
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double squares = 0.0;
    for (const T x : points.row(i)) {
      squares += static_cast<double>(x) * static_cast<double>(x);
    }
    if (squares < static_cast<double>(std::numeric_limits<T>::min())) {
      return false;
    }
  }
  return true;
}

void check_same_dimension(std::size_t first, std::size_t second,
                          const std::string& second_name) {
  if (first == second) return;
  throw InvalidArgument(second_name + ": points of dimension " +
                        std::to_string(first) + " are expected, got " +
                        std::to_string(second));
}

template bool unit_row(std::span<const float>, std::span<double>);
template bool unit_row(std::span<const double>, std::span<double>);
template Matrix<double> copy_rows(MatrixView<const float>,
                                  std::span<const std::size_t>);
template Matrix<double> copy_rows(MatrixView<const double>,
                                  std::span<const std::size_t>);
template bool has_directions(MatrixView<const float>);
template bool has_directions(MatrixView<const double>);

}  // namespace sbog::detail
