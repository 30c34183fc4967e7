// SPDX-License-Identifier: Apache-2.0
// A conditional variational autoencoder of images: the latent z of the encoder
// says what is shown, a small noise xi everything that z leaves open.
//
//   x, z   -> two strided convolutions, two linear layers -> q(xi | x, z)
//   z, xi  -> linear -> H/4 x W/4 -> twice (nearest x 2, convolution) -> x
//
// A point is decoded with xi drawn from N(0, I), keyed by (seed, id).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sbog/nn/parameter_set.h"
#include "sbog_torch/image/decoder.h"

namespace sbog::image {

/// What fixes the shape of the autoencoder.
struct CvaeShape {
  /// 1 or 3 channels, sides of 8 to 256 pixels in multiples of 4.
  ImageShape image;
  std::size_t latent = 64;  ///< dimension of z
  std::size_t noise = 16;   ///< dimension of xi
  std::size_t width = 32;   ///< channels of the convolutions
  std::size_t hidden = 64;  ///< of the linear layer of q
};

/// See the top of the file.
class CvaeDecoder : public Decoder {
 public:
  /// Freshly initialised; the seed fixes weights and noise. Throws
  /// InvalidArgument for a shape out of range.
  CvaeDecoder(const CvaeShape& shape, std::uint64_t seed);

  DecoderKind kind() const override { return DecoderKind::kCvae; }
  ImageShape shape() const override { return shape_.image; }
  std::size_t latent_width() const override { return shape_.latent; }
  const CvaeShape& network_shape() const { return shape_; }
  nn::ParameterSet& parameters() { return parameters_; }
  const nn::ParameterSet& parameters() const { return parameters_; }

  /// Images with their latents through the mean of q and back. Throws
  /// InvalidArgument when shapes disagree.
  torch::Tensor reconstruct(const torch::Tensor& images,
                            const torch::Tensor& latents) const;

  void save(const std::string& path) const override;
  /// Throws IoError.
  static CvaeDecoder load(const std::string& path);

 private:
  torch::Tensor decode_checked(const torch::Tensor& latents,
                               const torch::Tensor& classes,
                               std::span<const std::uint64_t> ids,
                               const DecoderSources* sources) const override;

  CvaeShape shape_;
  std::uint64_t seed_;
  nn::ParameterSet parameters_;
};

}  // namespace sbog::image
