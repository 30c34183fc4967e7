// SPDX-License-Identifier: Apache-2.0
// Kinds, checks and files of decoders; see decoder.h.
#include "sbog_torch/image/decoder.h"

#include <numeric>

#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"
#include "sbog_torch/image/cvae.h"
#include "sbog_torch/image/detail/decoder_file.h"
#include "sbog_torch/image/flow.h"
#include "sbog_torch/image/mix.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

constexpr DecoderKind kKinds[] = {DecoderKind::kCvae, DecoderKind::kFlow,
                                  DecoderKind::kMix, DecoderKind::kNone};

class NoneDecoder : public Decoder {
 public:
  explicit NoneDecoder(std::size_t latent_width)
      : latent_width_(latent_width) {}
  DecoderKind kind() const override { return DecoderKind::kNone; }
  ImageShape shape() const override { return {1, 0, 0}; }
  std::size_t latent_width() const override { return latent_width_; }
  void save(const std::string& path) const override {
    nn::Checkpoint file;
    file.metadata = detail::decoder_metadata(
        kind(), {{"latent", static_cast<std::uint64_t>(latent_width_)}});
    file.scalars["latent"] = static_cast<double>(latent_width_);
    nn::save_checkpoint(path, file);
  }

 private:
  torch::Tensor decode_checked(const torch::Tensor&, const torch::Tensor&,
                               std::span<const std::uint64_t>,
                               const DecoderSources*) const override {
    throw InvalidArgument(
        "decode: the decoder none makes no images, cvae, flow and mix do");
  }

  std::size_t latent_width_;
};

}  // namespace

const char* to_string(DecoderKind kind) {
  switch (kind) {
    case DecoderKind::kCvae:
      return "cvae";
    case DecoderKind::kFlow:
      return "flow";
    case DecoderKind::kMix:
      return "mix";
    case DecoderKind::kNone:
      return "none";
  }
  return "unknown";
}

DecoderKind decoder_kind(std::string_view name) {
  for (const DecoderKind kind : kKinds) {
    if (name == to_string(kind)) return kind;
  }
  const std::string asked(name);
  if (asked == "sd15") {
    throw InvalidArgument(
        "decoder: sd15 is not part of this version, cvae, flow, mix or none "
        "is expected");
  }
  throw InvalidArgument("decoder: cvae, flow, mix or none is expected, got " +
                        asked);
}

namespace {

void check_sources(const DecoderSources& sources, const torch::Tensor& latents,
                   const ImageShape& shape) {
  const std::vector<std::int64_t> expected = {
      latents.size(0), static_cast<std::int64_t>(shape.channels),
      static_cast<std::int64_t>(shape.height),
      static_cast<std::int64_t>(shape.width)};
  if (sources.images.sizes() != at::IntArrayRef(expected) ||
      sources.images.scalar_type() != torch::kFloat32 ||
      sources.latents.sizes() != latents.sizes() ||
      sources.latents.scalar_type() != torch::kFloat32) {
    throw InvalidArgument(
        "decode: one source image with its latent per latent is expected");
  }
  require_finite(sources.images, "decode: sources");
  require_finite(sources.latents, "decode: latents of sources");
}

}  // namespace

torch::Tensor Decoder::decode(const torch::Tensor& latents,
                              const torch::Tensor& classes,
                              std::span<const std::uint64_t> ids,
                              const DecoderSources* sources) const {
  const auto count = static_cast<std::int64_t>(ids.size());
  const auto width = static_cast<std::int64_t>(latent_width());
  if (latents.dim() != 2 || latents.scalar_type() != torch::kFloat32 ||
      latents.size(0) != count || latents.size(1) != width) {
    throw InvalidArgument("decode: float latents of " + std::to_string(count) +
                          " x " + std::to_string(width) +
                          " are expected, one row per id");
  }
  if (classes.dim() != 1 || classes.scalar_type() != torch::kInt64 ||
      classes.size(0) != count) {
    throw InvalidArgument("decode: one class per latent is expected");
  }
  for (const std::uint64_t id : ids) {
    if (id >> 48 != 0) {
      throw InvalidArgument("decode: ids below 2^48 are expected, got " +
                            std::to_string(id));
    }
  }
  if (count == 0) {
    const ImageShape to = shape();
    return torch::empty({0, static_cast<std::int64_t>(to.channels),
                         static_cast<std::int64_t>(to.height),
                         static_cast<std::int64_t>(to.width)},
                        torch::kFloat32);
  }
  require_finite(latents, "decode: latents");
  if (sources != nullptr) check_sources(*sources, latents, shape());
  const torch::NoGradGuard no_gradients;
  return decode_checked(latents.detach().contiguous(), classes.contiguous(),
                        ids, sources);
}

std::unique_ptr<Decoder> make_none_decoder(std::size_t latent_width) {
  return std::make_unique<NoneDecoder>(latent_width);
}

std::unique_ptr<Decoder> load_decoder(const std::string& path) {
  const detail::DecoderFile file = detail::read_decoder_file(path);
  switch (file.kind) {
    case DecoderKind::kCvae:
      return std::make_unique<CvaeDecoder>(CvaeDecoder::load(path));
    case DecoderKind::kFlow:
      return std::make_unique<FlowDecoder>(FlowDecoder::load(path));
    case DecoderKind::kMix:
      return std::make_unique<MixDecoder>(MixDecoder::load(path));
    case DecoderKind::kNone:
      break;
  }
  nn::Checkpoint found;
  found.scalars["latent"] = 0.0;
  nn::load_checkpoint(path, found);
  return make_none_decoder(file.count("latent"));
}

std::vector<std::uint64_t> number_ids(std::size_t count, std::uint64_t first) {
  std::vector<std::uint64_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

}  // namespace sbog::image
