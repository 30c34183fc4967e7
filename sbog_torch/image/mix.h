// SPDX-License-Identifier: Apache-2.0
// Retrieval and mix: of the bank images nearest to a point, the best one of its
// class and the best one of any other class are laid together, by a weight or
// by a rectangle of the second in the first. Sharp and instant, an ablation:
// the point chooses the images and no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sbog_torch/image/decoder.h"

namespace sbog::image {

/// How two images become one.
struct MixOptions {
  /// Of the images, those with a rectangle instead of a weight.
  double patch_share = 0.5;
  /// The weight of the second image is uniform on [low, high]; so is the side
  /// of the rectangle as a share of the image's.
  double low = 0.35;
  double high = 0.65;
  std::uint64_t seed = 13;
};

/// Throws InvalidArgument for options out of range.
void check_options(const MixOptions& options);

/// What is retrieved from. Images of at least two classes.
struct MixBank {
  torch::Tensor images;   ///< float32 N x C x H x W in [0, 1], kept in 8 bits
  torch::Tensor latents;  ///< float32 N x m, unit rows
  torch::Tensor classes;  ///< int64 N, 0 or more
};

/// See the top of the file.
class MixDecoder : public Decoder {
 public:
  /// Throws InvalidArgument for a bank or options out of range.
  MixDecoder(const MixBank& bank, const MixOptions& options);

  DecoderKind kind() const override { return DecoderKind::kMix; }
  ImageShape shape() const override;
  std::size_t latent_width() const override;
  void save(const std::string& path) const override;
  /// Throws IoError.
  static MixDecoder load(const std::string& path);

 private:
  torch::Tensor decode_checked(const torch::Tensor& latents,
                               const torch::Tensor& classes,
                               std::span<const std::uint64_t> ids,
                               const DecoderSources* sources) const override;

  MixBank bank_;  // images in uint8
  MixOptions options_;
};

}  // namespace sbog::image
