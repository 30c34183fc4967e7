// SPDX-License-Identifier: Apache-2.0
// Row-wise Cholesky that passes over dependent rows; see span_factor.h.
#include "sbog/sample/span_factor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/inner_product.h"
#include "sbog/energy/detail/row_kernel.h"

namespace sbog {
namespace {

// A row adds to the basis when the square of what is left of it is larger. The
// Gram matrix is exact to about 1e-15, so that the new direction has five
// digits at the least; what is dropped moves no cosine by more than 1e-5 sigma.
constexpr double kLeastSquare = 1e-10;

}  // namespace

template <typename T>
SpanFactor<T>::SpanFactor(Matrix<double> heads, MatrixView<const T> rows)
    : heads_(std::move(heads)), rows_(rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    inverse_lengths_.push_back(1.0 / norm_of<T>(rows.row(i)));
  }
  const std::size_t count = row_count();
  factor_ = Matrix<double>(count, std::min(count, dim()));
  std::vector<double> x(dim());
  std::vector<double> gram(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i < heads_.rows()) {
      std::copy_n(heads_.row(i).data(), dim(), x.data());
    } else {
      const std::size_t r = i - heads_.rows();
      for (std::size_t k = 0; k < dim(); ++k) {
        x[k] = static_cast<double>(rows(r, k)) * inverse_lengths_[r];
      }
    }
    products(x, i, gram);
    const std::span<double> mine = factor_.row(i);
    double left = dot(x, x);
    for (std::size_t b = 0; b < rank(); ++b) {
      const auto other = std::as_const(factor_).row(pivots_[b]);
      mine[b] =
          (gram[pivots_[b]] - dot(mine.first(b), other.first(b))) / other[b];
      left -= mine[b] * mine[b];
    }
    used_.push_back(rank());
    if (left <= kLeastSquare || rank() == factor_.cols()) continue;
    mine[rank()] = std::sqrt(left);
    pivots_.push_back(i);
    used_.back() = rank();
  }
}

// <row_i, x> of the first `count` rows.
template <typename T>
void SpanFactor<T>::products(std::span<const double> x, std::size_t count,
                             std::span<double> out) const {
  const std::size_t heads = std::min(count, heads_.rows());
  for (std::size_t i = 0; i < heads; ++i) out[i] = dot(heads_.row(i), x);
  detail::row_dots(rows_.subrows(0, count - heads), x, out.subspan(heads));
  for (std::size_t i = heads; i < count; ++i) {
    out[i] *= inverse_lengths_[i - heads];
  }
}

template <typename T>
std::vector<double> SpanFactor<T>::project(std::span<const double> x) const {
  std::vector<double> along(row_count());
  products(x, row_count(), along);
  std::vector<double> c(rank());
  for (std::size_t b = 0; b < rank(); ++b) {
    const auto row = factor_.row(pivots_[b]);
    const std::span<const double> before(c.data(), b);
    c[b] = (along[pivots_[b]] - dot(row.first(b), before)) / row[b];
  }
  return c;
}

template <typename T>
void SpanFactor<T>::add_combination(std::span<const double> c,
                                    std::span<double> out) const {
  // L' y = c over the pivots, from the last one.
  std::vector<double> y(c.begin(), c.end());
  std::vector<double> weights(row_count(), 0.0);
  for (std::size_t b = rank(); b-- > 0;) {
    const auto row = factor_.row(pivots_[b]);
    y[b] /= row[b];
    for (std::size_t e = 0; e < b; ++e) y[e] -= y[b] * row[e];
    weights[pivots_[b]] = y[b];
  }
  const std::size_t heads = heads_.rows();
  for (std::size_t i = heads; i < row_count(); ++i) {
    weights[i] *= inverse_lengths_[i - heads];
  }
  const std::span<const double> all(weights);
  detail::add_rows(std::as_const(heads_).view(), all.first(heads), out);
  detail::add_rows(rows_, all.subspan(heads), out);
}

template class SpanFactor<float>;
template class SpanFactor<double>;

}  // namespace sbog
