// SPDX-License-Identifier: Apache-2.0
// The velocity network of the rectified flow and the Euler walk along it; see
// flow.h.
#pragma once

#include <torch/torch.h>

#include <functional>

#include "sbog/nn/parameter_set.h"
#include "sbog_torch/image/flow.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image::detail {

/// Zero parameters of the shape.
nn::ParameterSet make_flow_parameters(const FlowShape& shape);

/// v(x, t | z) for x N x C x H x W in about [-1, 1], times N in [0, 1] and unit
/// latents N x m.
torch::Tensor velocity(const nn::TensorMap& weights, const FlowShape& shape,
                       const torch::Tensor& x, const torch::Tensor& times,
                       const torch::Tensor& latents);

/// x(1) from x(0) = start by Euler steps of equal length; field(x, times).
torch::Tensor follow(
    const torch::Tensor& start, std::size_t steps,
    const std::function<torch::Tensor(const torch::Tensor& x,
                                      const torch::Tensor& times)>& field);

}  // namespace sbog::image::detail
