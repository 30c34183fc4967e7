// SPDX-License-Identifier: Apache-2.0
// The rounds of faithful_decoding.h.
#include "sbog_torch/image/faithful_decoding.h"

#include <vector>

#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {

torch::Tensor decode_faithfully(const Decoder& decoder, const Embed& embed,
                                const ToDecode& asked, std::size_t rounds) {
  const torch::NoGradGuard no_gradients;
  const auto images_of = [&](const torch::Tensor& points) {
    return quantise(
        decoder.decode(points, asked.classes, asked.ids, asked.sources));
  };
  torch::Tensor best = images_of(asked.latents);
  if (!embed || rounds == 0 || best.size(0) == 0) return best;
  const auto points_of = [&](const torch::Tensor& images) {
    return detail::in_chunks(
        {images},
        [&](const std::vector<torch::Tensor>& rows) { return embed(rows[0]); });
  };
  torch::Tensor found = points_of(best);
  torch::Tensor best_cosine = (found * asked.latents).sum(1);
  torch::Tensor point = asked.latents;
  for (std::size_t round = 0; round < rounds; ++round) {
    const torch::Tensor moved = point + asked.latents - found;
    point = moved / moved.norm(2, 1, true).clamp_min(1e-6);
    const torch::Tensor images = images_of(point);
    found = points_of(images);
    const torch::Tensor cosine = (found * asked.latents).sum(1);
    const torch::Tensor is_better = cosine > best_cosine;
    best = torch::where(is_better.reshape({-1, 1, 1, 1}), images, best);
    best_cosine = torch::where(is_better, cosine, best_cosine);
  }
  return best;
}

}  // namespace sbog::image
