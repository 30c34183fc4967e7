// SPDX-License-Identifier: Apache-2.0
// The networks of the conditional autoencoder of images and the terms of its
// objective; see cvae.h.
#pragma once

#include <torch/torch.h>

#include "sbog/nn/parameter_set.h"
#include "sbog_torch/image/cvae.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image::detail {

/// Zero parameters of the shape.
nn::ParameterSet make_cvae_parameters(const CvaeShape& shape);

/// q(xi | x, z) = N(mean, exp(log_variance)), one row per image.
struct CvaePosterior {
  torch::Tensor mean;
  torch::Tensor log_variance;
};

/// The posterior of images N x C x H x W in [0, 1] with unit latents N x m.
CvaePosterior infer(const nn::TensorMap& weights, const torch::Tensor& images,
                    const torch::Tensor& latents);

/// The images of p(x | z, xi), in (0, 1).
torch::Tensor generate(const nn::TensorMap& weights, const CvaeShape& shape,
                       const torch::Tensor& noise,
                       const torch::Tensor& latents);

/// Mean over rows of KL(q || N(0, I)) in nats.
torch::Tensor divergence(const CvaePosterior& posterior);

/// Mean |difference of neighbouring pixels in a minus that in b|, along rows
/// plus along columns: what L1 alone lets blur away.
torch::Tensor gradient_difference(const torch::Tensor& a,
                                  const torch::Tensor& b);

/// Mean of 1 - <a_i, b_i> over unit rows.
torch::Tensor cosine_gap(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace sbog::image::detail
