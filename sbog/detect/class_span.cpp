// SPDX-License-Identifier: Apache-2.0
// See class_span.h.
#include "sbog/detect/class_span.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sbog/base/inner_product.h"
#include "sbog/base/symmetric.h"
#include "sbog/detect/detail/products.h"

namespace sbog::detect {
namespace {

constexpr std::size_t kSpanRows = 64;
constexpr double kLeastScatter = 1e-9;

Matrix<double> centred_means(MatrixView<const double> means) {
  std::vector<double> centre(means.cols(), 0.0);
  for (std::size_t c = 0; c < means.rows(); ++c) {
    for (std::size_t j = 0; j < centre.size(); ++j) centre[j] += means(c, j);
  }
  Matrix<double> steps(means.rows(), means.cols());
  for (std::size_t c = 0; c < means.rows(); ++c) {
    for (std::size_t j = 0; j < centre.size(); ++j) {
      steps(c, j) = means(c, j) - centre[j] / static_cast<double>(means.rows());
    }
  }
  return steps;
}

// Columns are an orthonormal basis of the span of the rows of `steps`: with
// u an eigenvector of steps steps', steps' u is one of the scatter steps' steps
// for the same eigenvalue. There are fewer classes than dimensions here.
Matrix<double> span_basis(const Matrix<double>& steps) {
  const SymmetricEigen eigen = symmetric_eigen(row_products(steps));
  const double least = kLeastScatter * static_cast<double>(steps.rows() - 1);
  const auto rank = static_cast<std::size_t>(std::ranges::count_if(
      eigen.values, [&](double value) { return value >= least; }));
  Matrix<double> basis(steps.cols(), rank);
  for (std::size_t k = 0; k < rank; ++k) {
    const double scale = 1.0 / std::sqrt(eigen.values[k]);
    for (std::size_t c = 0; c < steps.rows(); ++c) {
      const double share = scale * eigen.vectors(k, c);
      for (std::size_t j = 0; j < steps.cols(); ++j) {
        basis(j, k) += share * steps(c, j);
      }
    }
  }
  return basis;
}

Matrix<double> mapped(MatrixView<const double> rows,
                      const Matrix<double>& map) {
  Matrix<double> out(rows.rows(), map.cols());
  detail::add_product<double>(rows, map, out);
  return out;
}

}  // namespace

ClassSpan::ClassSpan(MatrixView<const double> means) {
  if (means.rows() > 1 && means.rows() - 1 < means.cols()) {
    map_ = span_basis(centred_means(means));
  }
  // Means that are all equal span nothing either.
  if (map_.cols() > 0) {
    means_ = mapped(means, map_);
    return;
  }
  means_ = Matrix<double>(means.rows(), means.cols());
  for (std::size_t c = 0; c < means.rows(); ++c) {
    std::ranges::copy(means.row(c), means_.row(c).begin());
  }
}

std::vector<double> ClassSpan::score(MatrixView<const float> points,
                                     const Context& context) const {
  std::vector<double> scores(points.rows());
  const std::size_t pieces = (points.rows() + kSpanRows - 1) / kSpanRows;
  parallel_for(context, pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t first = piece * kSpanRows;
    const std::size_t count = std::min(kSpanRows, points.rows() - first);
    Matrix<double> rows(count, points.cols());
    for (std::size_t i = 0; i < count; ++i) {
      std::ranges::copy(points.row(first + i), rows.row(i).begin());
    }
    if (map_.cols() > 0) rows = mapped(rows, map_);
    for (std::size_t i = 0; i < count; ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < means_.rows(); ++c) {
        least = std::min(least, squared_distance<double, double>(
                                    rows.row(i), means_.row(c)));
      }
      scores[first + i] = least;
    }
  });
  return scores;
}

}  // namespace sbog::detect
