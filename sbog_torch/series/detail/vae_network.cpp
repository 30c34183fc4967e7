// SPDX-License-Identifier: Apache-2.0
// Layers of the autoencoder; see vae_network.h.
#include "sbog_torch/series/detail/vae_network.h"

#include <cstdint>

namespace sbog::series::detail {
namespace {

constexpr std::int64_t kKernel = 5;
constexpr std::size_t kStages = 3;
// Beyond this exp() of it would swamp a float.
constexpr double kLargestLogVariance = 10.0;

torch::Tensor linear(const nn::TensorMap& weights, const std::string& layer,
                     const torch::Tensor& in) {
  return torch::linear(in, weights.at(layer + ".weight"),
                       weights.at(layer + ".bias"));
}

torch::Tensor convolve(const nn::TensorMap& weights, const std::string& layer,
                       const torch::Tensor& in, std::int64_t stride) {
  return torch::conv1d(in, weights.at(layer + ".weight"),
                       weights.at(layer + ".bias"), stride, kKernel / 2);
}

// Width after one strided convolution.
std::size_t halved(std::size_t width) { return (width + 1) / 2; }

// Widths from the narrowest to that of a window.
std::vector<std::size_t> stage_widths(std::size_t width) {
  std::vector<std::size_t> widths = {width};
  for (std::size_t i = 0; i + 1 < kStages; ++i) {
    widths.insert(widths.begin(), halved(widths.front()));
  }
  return widths;
}

}  // namespace

std::size_t reduced_width(std::size_t width) {
  for (std::size_t i = 0; i < kStages; ++i) width = halved(width);
  return width;
}

nn::ParameterSet make_vae_parameters(const VaeShape& shape) {
  nn::ParameterSet set;
  const auto add = [&](const std::string& layer,
                       std::vector<std::size_t> weight) {
    const std::size_t outputs = weight.front();
    set.add(layer + ".weight", std::move(weight));
    set.add(layer + ".bias", {outputs});
  };
  const std::size_t deep = 2 * shape.filters;
  const std::size_t flat = deep * reduced_width(shape.width);
  add("infer.conv1", {shape.filters, shape.channels, kKernel});
  add("infer.conv2", {shape.filters, shape.filters, kKernel});
  add("infer.conv3", {deep, shape.filters, kKernel});
  add("infer.linear", {shape.hidden, flat + shape.head});
  add("infer.mean", {shape.latent, shape.hidden});
  add("infer.log_variance", {shape.latent, shape.hidden});
  add("generate.linear1", {shape.hidden, shape.latent + shape.head});
  add("generate.linear2", {flat, shape.hidden});
  add("generate.conv1", {shape.filters, deep, kKernel});
  add("generate.conv2", {shape.filters, shape.filters, kKernel});
  add("generate.conv3", {shape.channels, shape.filters, kKernel});
  return set;
}

Posterior infer(const nn::TensorMap& weights, const torch::Tensor& windows,
                const torch::Tensor& points) {
  torch::Tensor x = windows;
  for (const char* layer : {"infer.conv1", "infer.conv2", "infer.conv3"}) {
    x = torch::relu(convolve(weights, layer, x, 2));
  }
  x = torch::cat({x.flatten(1), points}, 1);
  x = torch::relu(linear(weights, "infer.linear", x));
  return {linear(weights, "infer.mean", x),
          linear(weights, "infer.log_variance", x)
              .clamp(-kLargestLogVariance, kLargestLogVariance)};
}

torch::Tensor generate(const nn::TensorMap& weights, const VaeShape& shape,
                       const torch::Tensor& latents,
                       const torch::Tensor& points) {
  torch::Tensor x = torch::cat({latents, points}, 1);
  x = torch::relu(linear(weights, "generate.linear1", x));
  x = torch::relu(linear(weights, "generate.linear2", x));
  x = x.reshape({x.size(0), static_cast<std::int64_t>(2 * shape.filters),
                 static_cast<std::int64_t>(reduced_width(shape.width))});
  const std::vector<std::size_t> widths = stage_widths(shape.width);
  for (std::size_t i = 0; i < kStages; ++i) {
    const std::vector<std::int64_t> size = {
        static_cast<std::int64_t>(widths[i])};
    x = torch::upsample_linear1d(x, size, false);
    x = convolve(weights, "generate.conv" + std::to_string(i + 1), x, 1);
    if (i + 1 < kStages) x = torch::relu(x);
  }
  return x;
}

VaeLoss vae_loss(const nn::TensorMap& weights, const VaeShape& shape,
                 const torch::Tensor& windows, const torch::Tensor& points,
                 const torch::Tensor& noise) {
  const Posterior posterior = infer(weights, windows, points);
  const torch::Tensor latents =
      posterior.mean + noise * (0.5 * posterior.log_variance).exp();
  const torch::Tensor back = generate(weights, shape, latents, points);
  const torch::Tensor divergence =
      0.5 * (posterior.mean.square() + posterior.log_variance.exp() - 1.0 -
             posterior.log_variance);
  return {(back - windows).square().mean(), divergence.sum(1).mean()};
}

}  // namespace sbog::series::detail
