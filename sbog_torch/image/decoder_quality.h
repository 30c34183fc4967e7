// SPDX-License-Identifier: Apache-2.0
// How good the images of a decoder are, in numbers: whether the encoder takes
// them for the points they came from, and how far they are from copies.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbog_torch/image/decoder.h"
#include "sbog_torch/image/embed.h"

namespace sbog::image {

/// <h(x'), v> of each image x' rounded to 8 bits and its point v. Throws
/// InvalidArgument when counts differ.
std::vector<double> consistencies(const Embed& embed,
                                  const torch::Tensor& images,
                                  const torch::Tensor& latents);

/// The nearest training image of each image.
struct NearestImages {
  std::vector<std::size_t> rows;  ///< ties to the smallest
  std::vector<double> distances;  ///< root mean square of pixel differences
};

/// Throws InvalidArgument for images of different shapes and without training
/// images.
NearestImages nearest_images(const torch::Tensor& images,
                             const torch::Tensor& training);

/// What is told about a decoder.
struct DecoderQuality {
  double consistency = 0.0;        ///< mean <h(x'), v>
  double least_consistency = 0.0;  ///< smallest
  double nearest_distance = 0.0;   ///< mean distance to the nearest training
                                   ///< image
  double least_nearest = 0.0;      ///< smallest; 0 is a copy
  /// The same for real images that were not trained on; what to compare with.
  double held_out_distance = 0.0;
};

/// Decodes the latents and measures the images. Throws InvalidArgument.
DecoderQuality measure_decoder(const Decoder& decoder, const Embed& embed,
                               const torch::Tensor& latents,
                               const torch::Tensor& classes,
                               std::span<const std::uint64_t> ids,
                               const torch::Tensor& training,
                               const torch::Tensor& held_out);

/// Mean |x' - x| over all pixels. Throws InvalidArgument for different shapes.
double reconstruction_error(const torch::Tensor& images,
                            const torch::Tensor& reconstructions);

}  // namespace sbog::image
