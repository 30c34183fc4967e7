// SPDX-License-Identifier: Apache-2.0
// Decoding and files of the rectified flow; see flow.h.
#include "sbog_torch/image/flow.h"

#include "sbog/base/errors.h"
#include "sbog/nn/checkpoint.h"
#include "sbog_torch/image/detail/decoder_file.h"
#include "sbog_torch/image/detail/flow_network.h"
#include "sbog_torch/image/detail/in_chunks.h"
#include "sbog_torch/image/draws.h"

namespace sbog::image {
namespace {

// What is wrong with a shape; empty when all is well.
std::string fault_of(const FlowShape& shape) {
  if (std::string fault = detail::shape_fault(shape.image); !fault.empty()) {
    return fault;
  }
  if (shape.width < 4 || shape.width > 512 || shape.width % 4 != 0) {
    return "filters must be a multiple of 4 from 4 to 512";
  }
  for (const std::size_t size : {shape.latent, shape.hidden}) {
    if (size < 1 || size > 4096) {
      return "latent and hidden must be from 1 to 4096";
    }
  }
  return shape.steps < 1 || shape.steps > 1000 ? "steps must be from 1 to 1000"
                                               : "";
}

}  // namespace

FlowDecoder::FlowDecoder(const FlowShape& shape, std::uint64_t seed)
    : shape_(shape), seed_(seed) {
  if (const std::string fault = fault_of(shape); !fault.empty()) {
    throw InvalidArgument("flow: " + fault);
  }
  parameters_ = detail::make_flow_parameters(shape);
  detail::initialise_all(parameters_, seed);
}

torch::Tensor FlowDecoder::decode_checked(
    const torch::Tensor& latents, const torch::Tensor& /*classes*/,
    std::span<const std::uint64_t> ids,
    const DecoderSources* /*sources*/) const {
  const nn::TensorMap weights =
      nn::to_tensors(parameters_, torch::kFloat32, false);
  const torch::Tensor noise =
      draw_normals(ids, shape_.image.size(), seed_, Purpose::kDecoderNoise)
          .reshape({latents.size(0),
                    static_cast<std::int64_t>(shape_.image.channels),
                    static_cast<std::int64_t>(shape_.image.height),
                    static_cast<std::int64_t>(shape_.image.width)});
  const torch::Tensor end = detail::in_chunks(
      {noise, latents}, [&](const std::vector<torch::Tensor>& rows) {
        return detail::follow(
            rows[0], shape_.steps,
            [&](const torch::Tensor& x, const torch::Tensor& times) {
              return detail::velocity(weights, shape_, x, times, rows[1]);
            });
      });
  return (0.5 * (end + 1.0)).clamp(0.0, 1.0);
}

void FlowDecoder::save(const std::string& path) const {
  nn::save_parameters(path, parameters_,
                      detail::decoder_metadata(kind(), shape_.image,
                                               {{"latent", shape_.latent},
                                                {"filters", shape_.width},
                                                {"hidden", shape_.hidden},
                                                {"steps", shape_.steps},
                                                {"seed", seed_}}));
}

FlowDecoder FlowDecoder::load(const std::string& path) {
  const auto file = detail::read_decoder_file(path, DecoderKind::kFlow);
  const FlowShape shape{file.shape(), file.count("latent"),
                        file.count("filters"), file.count("hidden"),
                        file.count("steps")};
  if (const std::string fault = fault_of(shape); !fault.empty()) {
    throw IoError(path, fault);
  }
  FlowDecoder decoder(shape, file.count("seed"));
  nn::load_parameters(path, decoder.parameters_);
  return decoder;
}

}  // namespace sbog::image
