// SPDX-License-Identifier: Apache-2.0
// See exposure.h.
#include "sbog/detect/exposure.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/nn/random.h"
#include "sbog/sample/proposals.h"

namespace sbog::detect {
namespace {

constexpr std::size_t kDrawnRows = 64;
// Class of the Philox streams of steps, above all that samplers use.
constexpr std::uint32_t kExposureClass = 65000;

}  // namespace

void check_exposure(const ExposureOptions& o) {
  if (!(o.radius_from > 0.0 && o.radius_to >= o.radius_from &&
        std::isfinite(o.radius_to))) {
    throw InvalidArgument(
        "radius: two numbers above 0, the smaller first, are expected, got " +
        std::to_string(o.radius_from) + " and " + std::to_string(o.radius_to));
  }
}

OutlierSource outliers_in_turn(Matrix<float> rows, std::size_t count) {
  const auto shared = std::make_shared<const Matrix<float>>(std::move(rows));
  return [shared, count](std::size_t epoch) {
    std::vector<std::size_t> shown(std::min(count, shared->rows()));
    for (std::size_t k = 0; k < shown.size(); ++k) {
      shown[k] = (epoch * shown.size() + k) % shared->rows();
    }
    return copy_rows<float>(*shared, shown);
  };
}

ExposureLaw::ExposureLaw(const LabelledBank& bank,
                         const ExposureOptions& options)
    : bank_(bank), options_(options) {
  check_exposure(options);
  if (!options.is_shaped) return;
  const std::vector<std::uint32_t> classes = class_numbers(bank);
  // The same rows stand for a large covariance whatever the seed of a draw.
  shape_.emplace(WithinClass<float>(bank.points.view(), classes,
                                    bank.class_count(), false),
                 0);
}

Matrix<float> ExposureLaw::draw(std::size_t count, std::uint64_t seed,
                                std::size_t epoch,
                                const Context& context) const {
  const std::size_t dim = bank_.dim();
  Matrix<float> outliers(count, dim);
  const auto move_row = [&](std::size_t row, std::span<const double> step) {
    nn::Draws draws(seed, nn::Purpose::kExposure,
                    (std::uint64_t{epoch} << 32) + row);
    const std::span<const float> from =
        bank_.points.row(draws.below(bank_.rows()));
    const double radius =
        options_.radius_from +
        (options_.radius_to - options_.radius_from) * draws.uniform();
    const double scale = radius / std::sqrt(static_cast<double>(dim));
    std::vector<double> point(dim);
    for (std::size_t j = 0; j < dim; ++j) {
      point[j] = static_cast<double>(from[j]) + scale * step[j];
    }
    const double length = norm_of<double>(point);
    for (std::size_t j = 0; j < dim; ++j) {
      outliers(row, j) = static_cast<float>(point[j] / length);
    }
  };
  const std::size_t pieces = (count + kDrawnRows - 1) / kDrawnRows;
  parallel_for(context, pieces, [&](std::size_t piece, std::size_t) {
    // A whole piece is drawn whatever the count, so that rows stay the same.
    const RoundKey key{seed, kExposureClass, static_cast<std::uint32_t>(epoch),
                       static_cast<std::uint32_t>(piece)};
    const Matrix<double> steps =
        draw_steps(key, shape_ ? &*shape_ : nullptr, dim, kDrawnRows);
    const std::size_t first = piece * kDrawnRows;
    const std::size_t rows = std::min(kDrawnRows, count - first);
    for (std::size_t i = 0; i < rows; ++i) move_row(first + i, steps.row(i));
  });
  return outliers;
}

}  // namespace sbog::detect
