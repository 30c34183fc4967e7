// SPDX-License-Identifier: Apache-2.0
// Means and covariance of within_class.h.
#include "sbog/sample/within_class.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/inner_product.h"
#include "sbog/base/symmetric.h"

namespace sbog {
namespace {

constexpr std::size_t kRowsAtOnce = 512;

}  // namespace

template <typename T>
WithinClass<T>::WithinClass(MatrixView<const T> bank,
                            std::span<const std::uint32_t> labels,
                            std::size_t classes, bool is_sphere,
                            std::vector<std::size_t> rows)
    : bank_(bank),
      labels_(labels),
      is_sphere_(is_sphere),
      rows_(std::move(rows)),
      means_(classes, bank.cols()) {
  std::vector<double> counts(classes, 0.0);
  for (std::size_t i = 0; i < row_count(); ++i) {
    const std::size_t row = row_of(i);
    const double scale = scale_of(row);
    counts[labels[row]] += 1.0;
    for (std::size_t k = 0; k < dim(); ++k) {
      means_(labels[row], k) += scale * static_cast<double>(bank(row, k));
    }
  }
  for (std::size_t c = 0; c < classes; ++c) {
    for (double& x : means_.row(c)) x /= std::max(counts[c], 1.0);
  }
}

template <typename T>
double WithinClass<T>::scale_of(std::size_t row) const {
  if (!is_sphere_) return 1.0;
  const double square = inner_product<T, T>(bank_.row(row), bank_.row(row));
  return square > 0.0 ? 1.0 / std::sqrt(square) : 1.0;
}

template <typename T>
Matrix<double> WithinClass<T>::centred(std::size_t first,
                                       std::size_t count) const {
  Matrix<double> result(count, dim());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = row_of(first + i);
    const double scale = scale_of(row);
    for (std::size_t k = 0; k < dim(); ++k) {
      result(i, k) =
          scale * static_cast<double>(bank_(row, k)) - means_(labels_[row], k);
    }
  }
  return result;
}

template <typename T>
Matrix<double> WithinClass<T>::covariance() const {
  Matrix<double> result(dim(), dim());
  for (std::size_t first = 0; first < row_count(); first += kRowsAtOnce) {
    const Matrix<double> part =
        centred(first, std::min(kRowsAtOnce, row_count() - first));
    add_gram(part, result);
  }
  for (double& x : result.elements()) x /= static_cast<double>(row_count());
  return result;
}

template class WithinClass<float>;
template class WithinClass<double>;

}  // namespace sbog
