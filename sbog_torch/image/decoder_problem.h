// SPDX-License-Identifier: Apache-2.0
// What a decoder is trained on, the same for every kind.
#pragma once

#include <torch/torch.h>

#include <string>

#include "sbog/image/image_set.h"
#include "sbog_torch/image/embed.h"

namespace sbog::image {

/// Training images with their latents.
struct DecoderProblem {
  torch::Tensor images;   ///< float32 N x C x H x W in [0, 1]
  torch::Tensor latents;  ///< float32 N x m, unit rows: embed(images)
  /// The frozen encoder; may be empty where a kind says so.
  Embed embed;
};

/// Channels, height and width of the images.
ImageShape image_shape(const DecoderProblem& problem);

/// Throws InvalidArgument, beginning with `caller`, unless there is at least
/// one image, types and shapes are as said and all values are finite.
void check_problem(const DecoderProblem& problem, const std::string& caller);

}  // namespace sbog::image
