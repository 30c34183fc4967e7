// SPDX-License-Identifier: Apache-2.0
// Decoding and files of the autoencoder; see cvae.h.
#include "sbog_torch/image/cvae.h"

#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"
#include "sbog_torch/image/detail/cvae_network.h"
#include "sbog_torch/image/detail/decoder_file.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/image/tensors.h"

namespace sbog::image {
namespace {

constexpr std::size_t kMostUnits = 4096;

// What is wrong with a shape; empty when all is well.
std::string fault_of(const CvaeShape& shape) {
  if (std::string fault = detail::shape_fault(shape.image); !fault.empty()) {
    return fault;
  }
  for (const std::size_t size :
       {shape.latent, shape.noise, shape.width, shape.hidden}) {
    if (size < 1 || size > kMostUnits) {
      return "latent, noise, filters and hidden must be from 1 to 4096";
    }
  }
  // Weights are counted before any is allocated.
  const double cells = static_cast<double>(shape.image.size()) / 16.0;
  const double weights =
      static_cast<double>(shape.width) *
      (cells * static_cast<double>(shape.hidden + shape.latent + shape.noise) +
       36.0 * static_cast<double>(shape.width));
  return weights > 1e8 ? "the networks would have over 10^8 weights" : "";
}

}  // namespace

CvaeDecoder::CvaeDecoder(const CvaeShape& shape, std::uint64_t seed)
    : shape_(shape), seed_(seed) {
  if (const std::string fault = fault_of(shape); !fault.empty()) {
    throw InvalidArgument("cvae: " + fault);
  }
  parameters_ = detail::make_cvae_parameters(shape);
  detail::initialise_all(parameters_, seed);
}

torch::Tensor CvaeDecoder::reconstruct(const torch::Tensor& images,
                                       const torch::Tensor& latents) const {
  require_images(images, shape_.image, "cvae");
  if (latents.dim() != 2 || latents.size(0) != images.size(0) ||
      latents.size(1) != static_cast<std::int64_t>(shape_.latent)) {
    throw InvalidArgument("cvae: one latent of " +
                          std::to_string(shape_.latent) +
                          " numbers per image is expected");
  }
  const torch::NoGradGuard no_gradients;
  const nn::TensorMap weights =
      nn::to_tensors(parameters_, torch::kFloat32, false);
  return detail::in_chunks(
      {images, latents}, [&](const std::vector<torch::Tensor>& rows) {
        const auto q = detail::infer(weights, rows[0], rows[1]);
        return detail::generate(weights, shape_, q.mean, rows[1]);
      });
}

torch::Tensor CvaeDecoder::decode_checked(const torch::Tensor& latents,
                                          const torch::Tensor& /*classes*/,
                                          std::span<const std::uint64_t> ids,
                                          const DecoderSources* sources) const {
  const nn::TensorMap weights =
      nn::to_tensors(parameters_, torch::kFloat32, false);
  const torch::Tensor noise =
      sources != nullptr
          ? detail::in_chunks(
                {sources->images, sources->latents},
                [&](const std::vector<torch::Tensor>& rows) {
                  return detail::infer(weights, rows[0], rows[1]).mean;
                })
          : draw_normals(ids, shape_.noise, seed_, Purpose::kDecoderNoise);
  const auto draw = [&](const torch::Tensor& points) {
    return detail::in_chunks(
        {noise, points}, [&](const std::vector<torch::Tensor>& rows) {
          return detail::generate(weights, shape_, rows[0], rows[1]);
        });
  };
  const torch::Tensor images = draw(latents);
  if (sources == nullptr || !sources->keeps_detail) return images;
  return (images + sources->images - draw(sources->latents)).clamp(0.0, 1.0);
}

void CvaeDecoder::save(const std::string& path) const {
  nn::save_parameters(path, parameters_,
                      detail::decoder_metadata(kind(), shape_.image,
                                               {{"latent", shape_.latent},
                                                {"noise", shape_.noise},
                                                {"filters", shape_.width},
                                                {"hidden", shape_.hidden},
                                                {"seed", seed_}}));
}

CvaeDecoder CvaeDecoder::load(const std::string& path) {
  const auto file = detail::read_decoder_file(path, DecoderKind::kCvae);
  const CvaeShape shape{file.shape(), file.count("latent"), file.count("noise"),
                        file.count("filters"), file.count("hidden")};
  if (const std::string fault = fault_of(shape); !fault.empty()) {
    throw IoError(path, fault);
  }
  CvaeDecoder decoder(shape, file.count("seed"));
  nn::load_parameters(path, decoder.parameters_);
  return decoder;
}

}  // namespace sbog::image
