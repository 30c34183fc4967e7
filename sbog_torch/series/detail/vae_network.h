// SPDX-License-Identifier: Apache-2.0
// The two networks of a WindowVae in LibTorch.
#pragma once

#include <torch/torch.h>

#include "sbog/nn/parameter_set.h"
#include "sbog_torch/nn/torch_bridge.h"
#include "sbog_torch/series/window_vae.h"

namespace sbog::series::detail {

/// Samples that are left after the three strided convolutions.
std::size_t reduced_width(std::size_t width);

/// The tensors of both networks, all zero.
nn::ParameterSet make_vae_parameters(const VaeShape& shape);

/// Mean and log variance of the latent, rows x latent each.
struct Posterior {
  torch::Tensor mean;
  torch::Tensor log_variance;  ///< kept within [-10, 10]
};
/// `windows`: rows x channels x width; `points`: rows x head.
Posterior infer(const nn::TensorMap& weights, const torch::Tensor& windows,
                const torch::Tensor& points);

/// Windows, rows x channels x width.
torch::Tensor generate(const nn::TensorMap& weights, const VaeShape& shape,
                       const torch::Tensor& latents,
                       const torch::Tensor& points);

/// Mean squared error, and the divergence of the posterior from the standard
/// normal in nats per window.
struct VaeLoss {
  torch::Tensor error;
  torch::Tensor divergence;
};
VaeLoss vae_loss(const nn::TensorMap& weights, const VaeShape& shape,
                 const torch::Tensor& windows, const torch::Tensor& points,
                 const torch::Tensor& noise);

}  // namespace sbog::series::detail
