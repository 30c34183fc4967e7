// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of image encoders: small sets of shapes, small
// networks, random tensors in double.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "sbog/image/shapes.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/image/encoder.h"

namespace sbog::image::testing_support {

/// Shapes of 12 x 12 pixels, classes in turn.
inline ImageSet small_shapes(std::size_t count, std::size_t first = 0) {
  ShapesOptions options;
  options.count = count;
  options.first = first;
  options.height = options.width = 12;
  return make_shapes(options);
}

/// A network of two blocks and few channels for such images.
inline EncoderOptions small_options(const ImageSet& images,
                                    std::size_t latent = 8) {
  EncoderOptions options = options_for(images);
  options.widths = {4, 6};
  options.latent = latent;
  return options;
}

/// Standard normals, double.
inline torch::Tensor double_normals(std::vector<std::int64_t> shape,
                                    std::uint64_t seed) {
  torch::Tensor out = torch::empty(shape, torch::kFloat64);
  nn::Draws draws(seed, nn::Purpose::kPairs, 3);
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    out.data_ptr<double>()[i] = draws.normal();
  }
  return out;
}

/// The largest absolute difference.
inline double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64))
      .abs()
      .max()
      .item<double>();
}

/// The central difference of a scalar function in element i of a tensor.
template <typename Function>
double slope(const Function& function, torch::Tensor tensor, std::int64_t i,
             double size) {
  const torch::NoGradGuard no_gradient;
  double& value = tensor.data_ptr<double>()[i];
  const double before = value;
  value = before + size;
  const double above = function();
  value = before - size;
  const double below = function();
  value = before;
  return (above - below) / (2.0 * size);
}

}  // namespace sbog::image::testing_support
