// SPDX-License-Identifier: Apache-2.0
// The one thing that decoders, samplers and detectors know of an encoder.
#pragma once

#include <torch/torch.h>

#include <functional>

namespace sbog::image {

/// Images, float N x C x H x W in [0, 1], to unit latents N x m, differentiable
/// in the images. Normalisation by mean and deviation happens inside.
using Embed = std::function<torch::Tensor(const torch::Tensor& images)>;

}  // namespace sbog::image
