// SPDX-License-Identifier: Apache-2.0
// Forward passes of the autoencoder; see cvae_network.h.
#include "sbog_torch/image/detail/cvae_network.h"

#include <cstdint>
#include <string>

#include "sbog_torch/image/detail/layers.h"

namespace sbog::image::detail {
namespace {

// Keeps exp(log_variance) and its gradient in range while training begins.
constexpr double kLogVarianceLimit = 8.0;

torch::Tensor twice(const torch::Tensor& x) {
  return torch::upsample_nearest2d(
      x, at::IntArrayRef({2 * x.size(2), 2 * x.size(3)}));
}

}  // namespace

nn::ParameterSet make_cvae_parameters(const CvaeShape& shape) {
  nn::ParameterSet set;
  const std::size_t w = shape.width;
  const std::size_t half = (w + 1) / 2;
  const std::size_t cells = shape.image.height / 4 * (shape.image.width / 4);
  const std::size_t condition = shape.latent + shape.noise;
  add_layer(set, "infer.conv1", {half, shape.image.channels, 3, 3});
  add_layer(set, "infer.conv2", {w, half, 3, 3});
  add_layer(set, "infer.hidden", {shape.hidden, w * cells + shape.latent});
  add_layer(set, "infer.mean", {shape.noise, shape.hidden});
  add_layer(set, "infer.log_variance", {shape.noise, shape.hidden});
  add_layer(set, "generate.base", {w * cells, condition});
  add_layer(set, "generate.quarter", {w, w, 3, 3});
  add_layer(set, "generate.half", {w, w, 3, 3});
  add_layer(set, "generate.half_shift", {w, condition});
  add_layer(set, "generate.full", {w, w, 3, 3});
  add_layer(set, "generate.full_shift", {w, condition});
  add_layer(set, "generate.out", {shape.image.channels, w, 3, 3});
  return set;
}

CvaePosterior infer(const nn::TensorMap& weights, const torch::Tensor& images,
                    const torch::Tensor& latents) {
  const torch::Tensor centred = 2.0 * images - 1.0;
  const torch::Tensor first =
      torch::relu(conv(weights, "infer.conv1", centred, 2));
  const torch::Tensor second =
      torch::relu(conv(weights, "infer.conv2", first, 2));
  const torch::Tensor hidden =
      torch::relu(linear(weights, "infer.hidden",
                         torch::cat({second.flatten(1), latents}, /*dim=*/1)));
  return {linear(weights, "infer.mean", hidden),
          torch::clamp(linear(weights, "infer.log_variance", hidden),
                       -kLogVarianceLimit, kLogVarianceLimit)};
}

torch::Tensor generate(const nn::TensorMap& weights, const CvaeShape& shape,
                       const torch::Tensor& noise,
                       const torch::Tensor& latents) {
  // A unit row has entries of 1 / sqrt(m): bring them to the size of the noise.
  const double scale = std::sqrt(static_cast<double>(shape.latent));
  const torch::Tensor condition =
      torch::cat({latents * scale, noise}, /*dim=*/1);
  torch::Tensor x =
      torch::relu(linear(weights, "generate.base", condition))
          .reshape({latents.size(0), static_cast<std::int64_t>(shape.width),
                    static_cast<std::int64_t>(shape.image.height / 4),
                    static_cast<std::int64_t>(shape.image.width / 4)});
  x = x + torch::relu(conv(weights, "generate.quarter", x));
  x = torch::relu(conv(weights, "generate.half", twice(x)) +
                  shift(weights, "generate.half_shift", condition));
  x = torch::relu(conv(weights, "generate.full", twice(x)) +
                  shift(weights, "generate.full_shift", condition));
  return torch::sigmoid(conv(weights, "generate.out", x));
}

torch::Tensor divergence(const CvaePosterior& posterior) {
  const torch::Tensor each = posterior.mean.square() +
                             posterior.log_variance.exp() - 1.0 -
                             posterior.log_variance;
  return 0.5 * each.sum(1).mean();
}

torch::Tensor gradient_difference(const torch::Tensor& a,
                                  const torch::Tensor& b) {
  const torch::Tensor gap = a - b;
  const auto along = [&](std::int64_t dim) {
    return torch::diff(gap, 1, dim).abs().mean();
  };
  return along(2) + along(3);
}

torch::Tensor cosine_gap(const torch::Tensor& a, const torch::Tensor& b) {
  return 1.0 - (a * b).sum(1).mean();
}

}  // namespace sbog::image::detail
