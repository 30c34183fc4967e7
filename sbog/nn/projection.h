// SPDX-License-Identifier: Apache-2.0
// The projection head: linear, ReLU, linear, then onto the unit sphere.
#pragma once

#include <cstddef>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/nn/parameter_set.h"

namespace sbog::series {

/// The head with what its backward pass needs.
class Projection {
 public:
  /// Unit rows z = y / max(|y|, 1e-12), one per row of features.
  Matrix<float> forward(const nn::ParameterSet& parameters,
                        MatrixView<const float> features);

  /// For gradients of the rows of the last forward pass: adds those of the
  /// parameters (unless null) and returns those of the features.
  Matrix<float> backward(const nn::ParameterSet& parameters,
                         MatrixView<const float> d_points,
                         nn::ParameterSet* gradients) const;

 private:
  Matrix<float> features_;
  Matrix<float> hidden_;  // after ReLU
  Matrix<float> points_;  // unit rows
  std::vector<double> lengths_;
};

}  // namespace sbog::series
