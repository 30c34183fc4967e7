// SPDX-License-Identifier: Apache-2.0
// Random resampling; see resample.h.
#include "sbog_torch/image/resample.h"

#include <algorithm>
#include <cmath>

#include "sbog/base/errors.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

torch::Tensor sized(const torch::Tensor& image, std::int64_t height,
                    std::int64_t width, bool is_nearest) {
  const at::IntArrayRef::value_type size[] = {height, width};
  return is_nearest ? torch::upsample_nearest2d(image, at::IntArrayRef(size))
                    : torch::upsample_bilinear2d(image, at::IntArrayRef(size),
                                                 /*align_corners=*/false);
}

std::int64_t shrunk(std::int64_t side, double share) {
  return std::max<std::int64_t>(
      1, std::llround(share * static_cast<double>(side)));
}

}  // namespace

void check_options(const ResampleOptions& options) {
  if (!(options.share >= 0.0 && options.share <= 1.0 &&
        options.least_side > 0.0 && options.least_side <= 1.0)) {
    throw InvalidArgument(
        "resample: a share from 0 to 1 and a least side above 0 and up to 1 "
        "are expected");
  }
}

torch::Tensor resample(const torch::Tensor& images,
                       std::span<const std::uint64_t> streams,
                       const ResampleOptions& options, std::uint64_t seed,
                       Purpose purpose) {
  check_options(options);
  if (images.dim() != 4 || images.scalar_type() != torch::kFloat32 ||
      static_cast<std::size_t>(images.size(0)) != streams.size()) {
    throw InvalidArgument(
        "resample: float images N x C x H x W and N streams are expected");
  }
  const torch::NoGradGuard no_gradients;
  torch::Tensor out = images.detach().clone(at::MemoryFormat::Contiguous);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    nn::Draws draws = open_draws(seed, purpose, streams[i]);
    if (draws.uniform() >= options.share) continue;
    const bool is_nearest = draws.below(2) == 0;
    const double side =
        options.least_side + (1.0 - options.least_side) * draws.uniform();
    torch::Tensor image = out.narrow(0, static_cast<std::int64_t>(i), 1);
    const torch::Tensor small = sized(image, shrunk(image.size(2), side),
                                      shrunk(image.size(3), side), is_nearest);
    image.copy_(sized(small, image.size(2), image.size(3), is_nearest));
  }
  return quantise(out);
}

}  // namespace sbog::image
