// SPDX-License-Identifier: Apache-2.0
// Rectified flow of images (Liu, Gong, Liu, 2023): a velocity field v(x, t | z)
// that carries noise at t = 0 along nearly straight lines to images at t = 1.
//
//   x_t = (1 - t) noise + t image,   d x / d t = v(x, t | z),
//
// computed by a small U-shaped network on three sizes of the image and followed
// by Euler steps from noise keyed by (seed, id).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sbog/nn/parameter_set.h"
#include "sbog_torch/image/decoder.h"

namespace sbog::image {

/// What fixes the network and its use.
struct FlowShape {
  /// 1 or 3 channels, sides of 8 to 256 pixels in multiples of 4.
  ImageShape image;
  std::size_t latent = 64;  ///< dimension of z
  /// Channels at full size, a multiple of 4; twice as many below.
  std::size_t width = 16;
  std::size_t hidden = 64;  ///< of the condition made of z and t
  std::size_t steps = 10;   ///< of Euler, per image
};

/// See the top of the file.
class FlowDecoder : public Decoder {
 public:
  /// Freshly initialised; the seed fixes weights and noise. Throws
  /// InvalidArgument for a shape out of range.
  FlowDecoder(const FlowShape& shape, std::uint64_t seed);

  DecoderKind kind() const override { return DecoderKind::kFlow; }
  ImageShape shape() const override { return shape_.image; }
  std::size_t latent_width() const override { return shape_.latent; }
  const FlowShape& network_shape() const { return shape_; }
  nn::ParameterSet& parameters() { return parameters_; }
  const nn::ParameterSet& parameters() const { return parameters_; }

  void save(const std::string& path) const override;
  /// Throws IoError.
  static FlowDecoder load(const std::string& path);

 private:
  torch::Tensor decode_checked(const torch::Tensor& latents,
                               const torch::Tensor& classes,
                               std::span<const std::uint64_t> ids,
                               const DecoderSources* sources) const override;

  FlowShape shape_;
  std::uint64_t seed_;
  nn::ParameterSet parameters_;
};

}  // namespace sbog::image
