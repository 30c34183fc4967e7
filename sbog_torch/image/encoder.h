// SPDX-License-Identifier: Apache-2.0
// A small residual network for images: 3 x 3 stem, one basic block per width
// (the later ones halve the image), batch normalisation, global average pool
// and a linear layer to m numbers. 81 thousand parameters at 16-32-64.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sbog/image/image_set.h"
#include "sbog/nn/parameter_set.h"
#include "sbog_torch/image/embed.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {

/// What fixes the shape of the network and its input.
struct EncoderOptions {
  ImageShape shape;
  /// Channels of the blocks, 1 to 6 of them.
  std::vector<std::size_t> widths = {16, 32, 64};
  /// m: numbers per image; the number of classes when it is a classifier.
  std::size_t latent = 64;
  /// Per channel, of pixels in [0, 1]; empty: nothing is subtracted.
  std::vector<float> mean = {};
  /// Per channel, > 0; empty: nothing is divided by.
  std::vector<float> deviation = {};

  friend bool operator==(const EncoderOptions&,
                         const EncoderOptions&) = default;
};

/// Throws InvalidArgument, one sentence, for options no network can have.
void check_options(const EncoderOptions& options);

/// Options for these images: their shape, and the mean and deviation of each
/// channel over all pixels. A constant channel has deviation 1.
EncoderOptions options_for(const ImageSet& images);

/// Numbers that are trained; for options that check_options accepts.
std::size_t parameter_count(const EncoderOptions& options);

/// The wider preset.
inline const std::vector<std::size_t> kWideWidths = {32, 64, 128};

/// See the top of the file. Copies share their tensors; clone() does not.
class Encoder {
 public:
  /// He normals for convolutions, uniform +-1/sqrt(fan_in) for the linear
  /// layer, each tensor from the stream of its name (nn::Purpose::kInitialise).
  /// Throws InvalidArgument.
  Encoder(const EncoderOptions& options, std::uint64_t seed);

  const EncoderOptions& options() const { return options_; }

  /// N x m, not normalised, with batch statistics, which also move the running
  /// ones. N > 1. Throws InvalidArgument for images of another shape.
  torch::Tensor train_forward(const torch::Tensor& images);
  /// N x m, not normalised, with the running statistics; differentiable in the
  /// images and, unless freeze() was called, in the parameters.
  torch::Tensor forward(const torch::Tensor& images) const;
  /// The rows of forward() as unit vectors.
  torch::Tensor embed(const torch::Tensor& images) const;
  /// embed() of a frozen copy of what the encoder is now.
  Embed embedding() const;

  /// The tensors by name; those of parameters() ask for gradients.
  const nn::TensorMap& parameters() const { return parameters_; }
  const nn::TensorMap& buffers() const { return buffers_; }
  /// The values in the order of the file.
  nn::ParameterSet parameter_set() const;
  nn::ParameterSet buffer_set() const;
  /// Replaces the values. Throws InvalidArgument for other names or sizes.
  void set_values(const nn::ParameterSet& parameters,
                  const nn::ParameterSet& buffers);

  /// A copy with its own memory, of another floating type if asked.
  Encoder clone(torch::ScalarType type = torch::kFloat32) const;
  /// Parameters ask for no gradients from here on.
  void freeze();

 private:
  torch::Tensor run(const torch::Tensor& images, bool is_training) const;
  torch::Tensor convolve(const std::string& layer, const torch::Tensor& in,
                         std::int64_t stride, bool is_training) const;

  EncoderOptions options_;
  nn::ParameterSet like_;
  nn::ParameterSet like_buffers_;
  nn::TensorMap parameters_;
  nn::TensorMap buffers_;
};

/// Rows divided by their length; a row of zeros stays as it is.
torch::Tensor unit_rows(const torch::Tensor& rows);

}  // namespace sbog::image
