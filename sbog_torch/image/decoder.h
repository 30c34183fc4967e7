// SPDX-License-Identifier: Apache-2.0
// From points of the latent space back to images: one interface, the kinds of
// decoders by name, and the loader of their files.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbog/image/image_set.h"

namespace sbog::image {

/// The ways back to an image.
enum class DecoderKind {
  kCvae,  ///< "cvae": conditional variational autoencoder, the default
  kFlow,  ///< "flow": rectified flow, sharper and slower
  kMix,   ///< "mix": nearest images of two classes laid together
  kNone,  ///< "none": latents stay latents
};

/// The name of a kind.
const char* to_string(DecoderKind kind);

/// The kind of a name. Throws InvalidArgument listing the names for any other;
/// "sd15" is told apart as one that is not there yet.
DecoderKind decoder_kind(std::string_view name);

/// Images of known latents, one for each latent to decode.
struct DecoderSources {
  torch::Tensor images;   ///< float32 N x C x H x W in [0, 1]
  torch::Tensor latents;  ///< float32 N x m
  /// What the decoder cannot draw of a source is added again: an image is then
  /// its source plus what the way between the two latents changes, and a latent
  /// that did not move gives its source back.
  bool keeps_detail = false;
};

/// Decodes latents. Implementations compute without gradients, with the
/// threads that LibTorch has, and are deterministic: an image depends on its
/// own latent, class and id and on the seed of the decoder, and on no other row
/// of the call.
class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual DecoderKind kind() const = 0;
  /// Of the images.
  virtual ImageShape shape() const = 0;
  /// Dimension m of the latents.
  virtual std::size_t latent_width() const = 0;

  /// Images, float32 N x C x H x W in [0, 1], of unit latents N x m, their
  /// source classes (int64 N) and ids below 2^48, which key the noise. Throws
  /// InvalidArgument for other shapes and types, and for values that are not
  /// finite.
  ///
  /// With `sources`, what a latent leaves open (where a shape lies, how bright
  /// it is) is that of the source and not drawn; kinds of decoders that have no
  /// such part take no notice of them.
  torch::Tensor decode(const torch::Tensor& latents,
                       const torch::Tensor& classes,
                       std::span<const std::uint64_t> ids,
                       const DecoderSources* sources = nullptr) const;

  /// Writes one safetensors file that load_decoder reads. Throws IoError.
  virtual void save(const std::string& path) const = 0;

 private:
  virtual torch::Tensor decode_checked(const torch::Tensor& latents,
                                       const torch::Tensor& classes,
                                       std::span<const std::uint64_t> ids,
                                       const DecoderSources* sources) const = 0;
};

/// The decoder of latents that stay latents: shape() is empty and decode
/// throws InvalidArgument unless there is nothing to decode.
std::unique_ptr<Decoder> make_none_decoder(std::size_t latent_width);

/// A decoder from the file that Decoder::save wrote, whatever its kind. Throws
/// IoError for anything else, before much memory is taken.
std::unique_ptr<Decoder> load_decoder(const std::string& path);

/// first, first + 1, ... : ids for latents that are simply numbered.
std::vector<std::uint64_t> number_ids(std::size_t count,
                                      std::uint64_t first = 0);

}  // namespace sbog::image
