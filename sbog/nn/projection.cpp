// SPDX-License-Identifier: Apache-2.0
// The projection head; see projection.h.
#include "sbog/nn/projection.h"

#include <algorithm>

#include "sbog/base/copy_rows.h"
#include "sbog/base/errors.h"
#include "sbog/base/inner_product.h"
#include "sbog/nn/linear.h"

namespace sbog::series {
namespace {

constexpr double kLeastLength = 1e-12;
const char* const kFirst = "projection.linear1";
const char* const kSecond = "projection.linear2";

}  // namespace

Matrix<float> Projection::forward(const nn::ParameterSet& parameters,
                                  MatrixView<const float> features) {
  features_ = Matrix<float>(features.rows(), features.cols());
  for (std::size_t b = 0; b < features.rows(); ++b) {
    std::copy_n(features.row(b).data(), features.cols(),
                features_.row(b).data());
  }
  hidden_ = Matrix<float>(features.rows(), features.cols());
  nn::linear_forward(parameters, kFirst, features_, hidden_);
  for (float& value : hidden_.elements()) value = std::max(value, 0.0F);
  const std::size_t head =
      parameters.entry(std::string(kSecond) + ".weight").shape[0];
  points_ = Matrix<float>(features.rows(), head);
  nn::linear_forward(parameters, kSecond, hidden_, points_);
  lengths_.assign(features.rows(), 0.0);
  for (std::size_t b = 0; b < points_.rows(); ++b) {
    const auto row = points_.row(b);
    lengths_[b] = std::max(norm_of<float>(row), kLeastLength);
    for (float& value : row) value = static_cast<float>(value / lengths_[b]);
  }
  return points_.clone();
}

Matrix<float> Projection::backward(const nn::ParameterSet& parameters,
                                   MatrixView<const float> d_points,
                                   nn::ParameterSet* gradients) const {
  if (d_points.rows() != points_.rows() || d_points.cols() != points_.cols()) {
    throw InvalidArgument(
        "Projection: one gradient per point of the last "
        "forward pass is expected");
  }
  Matrix<float> d_raw(points_.rows(), points_.cols());
  for (std::size_t b = 0; b < points_.rows(); ++b) {
    const auto z = points_.row(b);
    const auto d = d_points.row(b);
    // Only what is tangent to the sphere passes.
    const double along = inner_product<float, float>(z, d);
    for (std::size_t k = 0; k < z.size(); ++k) {
      d_raw(b, k) = static_cast<float>((d[k] - along * z[k]) / lengths_[b]);
    }
  }
  Matrix<float> d_hidden(hidden_.rows(), hidden_.cols());
  nn::linear_backward(parameters, kSecond, hidden_, d_raw, gradients, d_hidden);
  for (std::size_t i = 0; i < d_hidden.size(); ++i) {
    if (hidden_.elements()[i] <= 0.0F) d_hidden.elements()[i] = 0.0F;
  }
  Matrix<float> d_features(features_.rows(), features_.cols());
  nn::linear_backward(parameters, kFirst, features_, d_hidden, gradients,
                      d_features);
  return d_features;
}

}  // namespace sbog::series
