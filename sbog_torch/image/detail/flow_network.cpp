// SPDX-License-Identifier: Apache-2.0
// Forward pass of the velocity network; see flow_network.h.
#include "sbog_torch/image/detail/flow_network.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "sbog_torch/image/detail/layers.h"

namespace sbog::image::detail {
namespace {

constexpr std::size_t kWaves = 8;  // sines and cosines of t each
constexpr std::int64_t kGroups = 4;

void add_block(nn::ParameterSet& set, const std::string& name,
               std::size_t width, std::size_t hidden) {
  add_layer(set, name + ".norm1", {width});
  add_layer(set, name + ".conv1", {width, width, 3, 3});
  add_layer(set, name + ".shift", {width, hidden});
  add_layer(set, name + ".norm2", {width});
  add_layer(set, name + ".conv2", {width, width, 3, 3});
}

torch::Tensor active(const nn::TensorMap& weights, const std::string& layer,
                     const torch::Tensor& x) {
  return torch::silu(torch::group_norm(
      x, kGroups, weights.at(layer + ".weight"), weights.at(layer + ".bias")));
}

torch::Tensor block(const nn::TensorMap& weights, const std::string& name,
                    const torch::Tensor& x, const torch::Tensor& condition) {
  torch::Tensor inner =
      conv(weights, name + ".conv1", active(weights, name + ".norm1", x));
  inner = inner + shift(weights, name + ".shift", condition);
  return x + conv(weights, name + ".conv2",
                  active(weights, name + ".norm2", inner));
}

// Nearest x 2, beside what was there at this size on the way down.
torch::Tensor joined(const torch::Tensor& below, const torch::Tensor& beside) {
  return torch::cat(
      {torch::upsample_nearest2d(
           below, at::IntArrayRef({beside.size(2), beside.size(3)})),
       beside},
      /*dim=*/1);
}

torch::Tensor waves_of(const torch::Tensor& times) {
  std::vector<torch::Tensor> waves;
  for (std::size_t k = 0; k < kWaves; ++k) {
    // Half a turn to 64 turns over [0, 1].
    const double rate =
        std::numbers::pi * std::pow(2.0, static_cast<double>(k));
    waves.push_back(torch::sin(times * rate));
    waves.push_back(torch::cos(times * rate));
  }
  return torch::stack(waves, /*dim=*/1);
}

}  // namespace

nn::ParameterSet make_flow_parameters(const FlowShape& shape) {
  nn::ParameterSet set;
  const std::size_t w = shape.width;
  add_layer(set, "condition.first", {shape.hidden, shape.latent + 2 * kWaves});
  add_layer(set, "condition.second", {shape.hidden, shape.hidden});
  add_layer(set, "in", {w, shape.image.channels, 3, 3});
  add_block(set, "full_down", w, shape.hidden);
  add_layer(set, "to_half", {2 * w, w, 3, 3});
  add_block(set, "half_down", 2 * w, shape.hidden);
  add_layer(set, "to_quarter", {2 * w, 2 * w, 3, 3});
  add_block(set, "quarter", 2 * w, shape.hidden);
  add_layer(set, "from_quarter", {2 * w, 4 * w, 3, 3});
  add_block(set, "half_up", 2 * w, shape.hidden);
  add_layer(set, "from_half", {w, 3 * w, 3, 3});
  add_block(set, "full_up", w, shape.hidden);
  add_layer(set, "out_norm", {w});
  add_layer(set, "out", {shape.image.channels, w, 3, 3});
  return set;
}

torch::Tensor velocity(const nn::TensorMap& weights, const FlowShape& shape,
                       const torch::Tensor& x, const torch::Tensor& times,
                       const torch::Tensor& latents) {
  const double scale = std::sqrt(static_cast<double>(shape.latent));
  torch::Tensor condition =
      torch::cat({latents * scale, waves_of(times)}, /*dim=*/1);
  condition = torch::silu(linear(weights, "condition.first", condition));
  condition = torch::silu(linear(weights, "condition.second", condition));
  const torch::Tensor full =
      block(weights, "full_down", conv(weights, "in", x), condition);
  const torch::Tensor half =
      block(weights, "half_down", conv(weights, "to_half", full, 2), condition);
  const torch::Tensor quarter = block(
      weights, "quarter", conv(weights, "to_quarter", half, 2), condition);
  const torch::Tensor half_up =
      block(weights, "half_up",
            conv(weights, "from_quarter", joined(quarter, half)), condition);
  const torch::Tensor full_up =
      block(weights, "full_up",
            conv(weights, "from_half", joined(half_up, full)), condition);
  return conv(weights, "out", active(weights, "out_norm", full_up));
}

torch::Tensor follow(
    const torch::Tensor& start, std::size_t steps,
    const std::function<torch::Tensor(const torch::Tensor& x,
                                      const torch::Tensor& times)>& field) {
  torch::Tensor x = start;
  const double length = 1.0 / static_cast<double>(steps);
  for (std::size_t k = 0; k < steps; ++k) {
    const torch::Tensor times =
        torch::full({x.size(0)}, static_cast<double>(k) * length, x.options());
    x = x + length * field(x, times);
  }
  return x;
}

}  // namespace sbog::image::detail
