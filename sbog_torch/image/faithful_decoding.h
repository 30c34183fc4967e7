// SPDX-License-Identifier: Apache-2.0
// Decoding such that the encoder takes an image for the point it was made of.
//
// A decoder draws what it has learned, so the image D(v) of an unusual point v
// lies back towards the usual ones: h(D(v)) is not v. It is asked again for a
// point moved by what was missed,
//   u <- normalise(u + v - h(D(u))),  u = v at first,
// and of all images the one whose own point is closest to v is kept.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "sbog_torch/image/decoder.h"
#include "sbog_torch/image/embed.h"

namespace sbog::image {

/// What is decoded, as Decoder::decode takes it.
struct ToDecode {
  torch::Tensor latents;
  torch::Tensor classes;
  std::span<const std::uint64_t> ids;
  const DecoderSources* sources = nullptr;
};

/// 8-bit images of the latents, asked for up to 1 + `rounds` times. Without an
/// encoder, or with 0 rounds, the plain image. An image depends on its own row
/// alone. Throws InvalidArgument as Decoder::decode does.
torch::Tensor decode_faithfully(const Decoder& decoder, const Embed& embed,
                                const ToDecode& asked, std::size_t rounds);

}  // namespace sbog::image
