// SPDX-License-Identifier: Apache-2.0
// Small linear layers, forward and backward, with sums in double.
#pragma once

#include <string>

#include "sbog/base/matrix.h"
#include "sbog/nn/parameter_set.h"

namespace sbog::nn {

/// out = in W' + bias for "<layer>.weight" (outputs x inputs) and
/// "<layer>.bias". Throws InvalidArgument when shapes disagree.
void linear_forward(const ParameterSet& parameters, const std::string& layer,
                    MatrixView<const float> in, MatrixView<float> out);

/// Adds the gradients of weight and bias to `gradients` unless it is null, and
/// writes those of the input to `d_in` unless it is empty.
void linear_backward(const ParameterSet& parameters, const std::string& layer,
                     MatrixView<const float> in, MatrixView<const float> d_out,
                     ParameterSet* gradients, MatrixView<float> d_in);

}  // namespace sbog::nn
