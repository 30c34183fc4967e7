// SPDX-License-Identifier: Apache-2.0
// See exposure.h.
#include "sbog/detect/exposure.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/detect/detail/products.h"
#include "sbog/detect/gaussians.h"
#include "sbog/nn/random.h"

namespace sbog::detect {
namespace {

constexpr std::size_t kDrawnRows = 64;

Matrix<float> unit_trace_root(const LabelledBank& bank, double shrinkage) {
  const std::size_t dim = bank.dim();
  Matrix<double> covariance = shrunk_covariance(
      within_class_covariance(bank, class_means(bank)), shrinkage);
  double trace = 0.0;
  for (std::size_t j = 0; j < dim; ++j) trace += covariance(j, j);
  Matrix<float> root(dim, dim);
  if (!(trace > 0.0)) {
    for (std::size_t j = 0; j < dim; ++j) {
      root(j, j) = static_cast<float>(1.0 / std::sqrt(double(dim)));
    }
    return root;
  }
  for (double& x : covariance.elements()) x /= trace;
  const Matrix<double> exact = covariance_root(covariance);
  std::ranges::copy(exact.elements(), root.elements().begin());
  return root;
}

}  // namespace

void check_exposure(const ExposureOptions& o) {
  if (!(o.radius_from > 0.0 && o.radius_to >= o.radius_from &&
        std::isfinite(o.radius_to))) {
    throw InvalidArgument(
        "radius: two numbers above 0, the smaller first, are expected, got " +
        std::to_string(o.radius_from) + " and " + std::to_string(o.radius_to));
  }
}

ExposureLaw::ExposureLaw(const LabelledBank& bank,
                         const ExposureOptions& options)
    : bank_(bank), options_(options) {
  check_exposure(options);
  root_ = unit_trace_root(bank, options.shrinkage);
}

Matrix<float> ExposureLaw::draw(std::size_t count, std::uint64_t seed,
                                std::size_t epoch,
                                const Context& context) const {
  const std::size_t dim = bank_.dim();
  Matrix<float> outliers(count, dim);
  const auto draw_rows = [&](std::size_t first, std::size_t rows) {
    Matrix<float> noise(rows, dim);
    std::vector<std::size_t> from(rows);
    std::vector<double> radius(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      nn::Draws draws(seed, nn::Purpose::kExposure,
                      (std::uint64_t{epoch} << 32) + first + i);
      from[i] = draws.below(bank_.rows());
      radius[i] = options_.radius_from +
                  (options_.radius_to - options_.radius_from) * draws.uniform();
      for (float& x : noise.row(i)) x = static_cast<float>(draws.normal());
    }
    const MatrixView<float> out = outliers.view().subrows(first, rows);
    detail::add_product<float>(noise, root_, out);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<float> row = out.row(i);
      const std::span<const float> anchor = bank_.points.row(from[i]);
      for (std::size_t j = 0; j < dim; ++j) {
        row[j] = anchor[j] + static_cast<float>(radius[i]) * row[j];
      }
      const auto scale = static_cast<float>(1.0 / norm_of<float>(row));
      for (float& x : row) x *= scale;
    }
  };
  const std::size_t pieces = (count + kDrawnRows - 1) / kDrawnRows;
  parallel_for(context, pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t first = piece * kDrawnRows;
    draw_rows(first, std::min(kDrawnRows, count - first));
  });
  return outliers;
}

}  // namespace sbog::detect
