// SPDX-License-Identifier: Apache-2.0
// Checks of training data of decoders; see decoder_problem.h.
#include "sbog_torch/image/decoder_problem.h"

#include "sbog/base/errors.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {

ImageShape image_shape(const DecoderProblem& problem) {
  const torch::Tensor& images = problem.images;
  if (!images.defined() || images.dim() != 4) {
    throw InvalidArgument("decoder: images N x C x H x W are expected");
  }
  return {static_cast<std::size_t>(images.size(1)),
          static_cast<std::size_t>(images.size(2)),
          static_cast<std::size_t>(images.size(3))};
}

void check_problem(const DecoderProblem& problem, const std::string& caller) {
  const torch::Tensor& x = problem.images;
  const torch::Tensor& z = problem.latents;
  if (!x.defined() || x.dim() != 4 || x.scalar_type() != torch::kFloat32 ||
      x.size(0) < 1) {
    throw InvalidArgument(caller +
                          ": float images N x C x H x W are expected, N > 0");
  }
  if (!z.defined() || z.dim() != 2 || z.scalar_type() != torch::kFloat32 ||
      z.size(0) != x.size(0) || z.size(1) < 1) {
    throw InvalidArgument(caller + ": one float latent per image is expected");
  }
  require_finite(x, caller + ": images");
  require_finite(z, caller + ": latents");
}

}  // namespace sbog::image
