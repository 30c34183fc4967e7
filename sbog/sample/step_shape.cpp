// SPDX-License-Identifier: Apache-2.0
// Factors of step_shape.h.
#include "sbog/sample/step_shape.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/symmetric.h"
#include "sbog/energy/score_bank.h"
#include "sbog/sample/detail/normal_tile.h"

namespace sbog {
namespace {

constexpr std::size_t kMostDimensions = 2048;  // of a covariance
constexpr std::size_t kMostRows = 1024;        // that stand for one
constexpr std::uint32_t kRowsPurpose = 102;    // stream of their choice

template <typename T>
Matrix<double> drawn_rows(const WithinClass<T>& within, std::uint64_t seed) {
  const std::size_t count = within.row_count();
  if (count <= kMostRows) return within.centred(0, count);
  const std::vector<std::size_t> rows =
      draw_subset(count, kMostRows, seed, kRowsPurpose);
  Matrix<double> result(rows.size(), within.dim());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Matrix<double> row = within.centred(rows[i], 1);
    std::ranges::copy(row.row(0), result.row(i).begin());
  }
  return result;
}

}  // namespace

template <typename T>
StepShape::StepShape(const WithinClass<T>& within, std::uint64_t seed) {
  if (within.row_count() < within.dim() || within.dim() > kMostDimensions) {
    use_rows(drawn_rows(within, seed));
  } else {
    use_covariance(within.covariance());
  }
}

void StepShape::use_covariance(const Matrix<double>& covariance) {
  const std::size_t dim = covariance.rows();
  double trace = 0.0;
  for (std::size_t k = 0; k < dim; ++k) trace += covariance(k, k);
  // Isotropic where nothing varies.
  const double share = trace > 0.0 ? 1.0 - kShrinkage : 0.0;
  const double scale =
      trace > 0.0 ? share * static_cast<double>(dim) / trace : 0.0;
  Matrix<double> shrunk = covariance.clone();
  for (double& x : shrunk.elements()) x *= scale;
  for (std::size_t k = 0; k < dim; ++k) shrunk(k, k) += 1.0 - share;
  const Matrix<double> lower = cholesky_factor(shrunk);
  factor_ = Matrix<float>(dim, dim);
  std::transform(lower.elements().begin(), lower.elements().end(),
                 factor_.elements().begin(),
                 [](double x) { return static_cast<float>(x); });
  for (std::size_t k = 0; k < dim; ++k) used_.push_back(k + 1);
}

void StepShape::use_rows(const Matrix<double>& rows) {
  double trace = 0.0;
  for (const double x : rows.elements()) trace += x * x;
  const auto dim = static_cast<double>(rows.cols());
  const double share = trace > 0.0 ? 1.0 - kShrinkage : 0.0;
  const double scale = trace > 0.0 ? std::sqrt(share * dim / trace) : 0.0;
  factor_ = Matrix<float>(rows.cols(), rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < rows.cols(); ++k) {
      factor_(k, i) = static_cast<float>(scale * rows(i, k));
    }
  }
  used_.assign(rows.cols(), rows.rows());
  plain_count_ = rows.cols();
  plain_ = static_cast<float>(std::sqrt(1.0 - share));
}

void StepShape::make_steps(const float* normals, std::size_t width,
                           float* steps) const {
  detail::combine_columns(factor_, used_, normals, width, steps);
  const float* plain = normals + factor_.cols() * width;
  for (std::size_t i = 0; i < plain_count_ * width; ++i) {
    steps[i] += plain_ * plain[i];
  }
}

template StepShape::StepShape(const WithinClass<float>&, std::uint64_t);
template StepShape::StepShape(const WithinClass<double>&, std::uint64_t);

}  // namespace sbog
