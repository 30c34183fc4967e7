// SPDX-License-Identifier: Apache-2.0
// Layers that the networks of the decoders share, with weights by name:
// LAYER.weight and LAYER.bias.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sbog/nn/parameter_set.h"
#include "sbog_torch/nn/linear_rows.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image::detail {

/// Adds a weight of this shape and a bias as long as its first side.
inline void add_layer(nn::ParameterSet& set, const std::string& name,
                      std::vector<std::size_t> shape) {
  const std::size_t outputs = shape.front();
  set.add(name + ".weight", std::move(shape));
  set.add(name + ".bias", {outputs});
}

inline torch::Tensor linear(const nn::TensorMap& weights,
                            const std::string& layer, const torch::Tensor& x) {
  return nn::linear_rows(x, weights.at(layer + ".weight"),
                         weights.at(layer + ".bias"));
}

/// 3 x 3, padded by 1.
inline torch::Tensor conv(const nn::TensorMap& weights,
                          const std::string& layer, const torch::Tensor& x,
                          std::int64_t stride = 1) {
  return torch::conv2d(x, weights.at(layer + ".weight"),
                       weights.at(layer + ".bias"), stride, 1);
}

/// One number per row and channel, as wide as an image.
inline torch::Tensor shift(const nn::TensorMap& weights,
                           const std::string& layer,
                           const torch::Tensor& condition) {
  return linear(weights, layer, condition).unsqueeze(2).unsqueeze(3);
}

}  // namespace sbog::image::detail
