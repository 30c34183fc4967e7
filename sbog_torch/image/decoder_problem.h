// SPDX-License-Identifier: Apache-2.0
// What a decoder is trained on, and what trainings of all kinds share.
#pragma once

#include <torch/torch.h>

#include <string>

#include "sbog/base/errors.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/detail/in_chunks.h"
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

/// The walk over the images in a training; `Options` have epochs, batch, seed
/// and optimiser.
template <typename Options>
detail::EpochPlan decoder_plan(const DecoderProblem& problem,
                               const Options& options) {
  return {static_cast<std::size_t>(problem.images.size(0)), options.batch,
          options.epochs, options.seed, Purpose::kDecoderOrder};
}

/// Throws InvalidArgument, beginning with `kind`, for such options out of
/// range.
template <typename Options>
void check_training(const char* kind, const Options& options) {
  require(kind, options.epochs >= 1 && options.batch >= 1,
          "at least one epoch and one image per batch are expected");
  require(kind,
          options.optimiser.learning_rate > 0.0 &&
              options.optimiser.learning_rate < 1.0,
          "a learning rate between 0 and 1 is expected");
}

}  // namespace sbog::image
