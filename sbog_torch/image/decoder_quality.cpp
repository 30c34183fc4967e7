// SPDX-License-Identifier: Apache-2.0
// Numbers about decoded images; see decoder_quality.h.
#include "sbog_torch/image/decoder_quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sbog/base/errors.h"
#include "sbog/base/mean.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {

std::vector<double> consistencies(const Embed& embed,
                                  const torch::Tensor& images,
                                  const torch::Tensor& latents) {
  if (images.size(0) != latents.size(0)) {
    throw InvalidArgument("consistencies: one latent per image is expected");
  }
  if (images.size(0) == 0) return {};
  const torch::NoGradGuard no_gradients;
  const torch::Tensor found = detail::in_chunks(
      {quantise(images)},
      [&](const std::vector<torch::Tensor>& rows) { return embed(rows[0]); });
  const torch::Tensor products =
      (found.to(torch::kFloat64) * latents.to(torch::kFloat64))
          .sum(1)
          .contiguous();
  const double* data = products.data_ptr<double>();
  return {data, data + products.numel()};
}

NearestImages nearest_images(const torch::Tensor& images,
                             const torch::Tensor& training) {
  if (images.dim() != 4 || training.dim() != 4 || training.size(0) == 0 ||
      images.sizes().slice(1) != training.sizes().slice(1)) {
    throw InvalidArgument(
        "nearest_images: training images of the same shape are expected");
  }
  NearestImages nearest;
  if (images.size(0) == 0) return nearest;
  const torch::NoGradGuard no_gradients;
  const torch::Tensor bank = training.to(torch::kFloat32).flatten(1);
  const torch::Tensor half_squares = 0.5 * bank.square().sum(1);
  const torch::Tensor flat = images.to(torch::kFloat32).flatten(1);
  const torch::Tensor gaps =
      detail::in_chunks({flat}, [&](const std::vector<torch::Tensor>& rows) {
        return half_squares - torch::matmul(rows[0], bank.t());
      });
  const std::int64_t count = bank.size(0);
  for (std::int64_t i = 0; i < gaps.size(0); ++i) {
    const float* row = gaps.data_ptr<float>() + i * count;
    const std::int64_t best = std::min_element(row, row + count) - row;
    // The winner is measured without cancellation.
    const double square =
        (flat[i].to(torch::kFloat64) - bank[best].to(torch::kFloat64))
            .square()
            .mean()
            .item<double>();
    nearest.rows.push_back(static_cast<std::size_t>(best));
    nearest.distances.push_back(std::sqrt(square));
  }
  return nearest;
}

DecoderQuality measure_decoder(const Decoder& decoder, const Embed& embed,
                               const torch::Tensor& latents,
                               const torch::Tensor& classes,
                               std::span<const std::uint64_t> ids,
                               const torch::Tensor& training,
                               const torch::Tensor& held_out) {
  const torch::Tensor images = decoder.decode(latents, classes, ids);
  const std::vector<double> cosines = consistencies(embed, images, latents);
  const std::vector<double> distances =
      nearest_images(quantise(images), training).distances;
  return {mean_of(cosines), least_of(cosines), mean_of(distances),
          least_of(distances),
          mean_of(nearest_images(held_out, training).distances)};
}

double reconstruction_error(const torch::Tensor& images,
                            const torch::Tensor& reconstructions) {
  if (images.sizes() != reconstructions.sizes() || images.numel() == 0) {
    throw InvalidArgument(
        "reconstruction_error: images and reconstructions of one shape are "
        "expected");
  }
  return (images.to(torch::kFloat64) - reconstructions.to(torch::kFloat64))
      .abs()
      .mean()
      .item<double>();
}

}  // namespace sbog::image
