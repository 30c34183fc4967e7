// SPDX-License-Identifier: Apache-2.0
// The residual network; see encoder.h.
#include "sbog_torch/image/encoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sbog/base/errors.h"
#include "sbog/nn/random.h"
#include "sbog_torch/image/tensors.h"
#include "sbog_torch/nn/linear_rows.h"

namespace sbog::image {
namespace {

constexpr double kBatchNormMomentum = 0.1;
constexpr double kBatchNormEpsilon = 1e-5;

std::string block_name(std::size_t k) { return "block" + std::to_string(k); }

// The first block changes neither the width nor the size.
bool has_shortcut(std::size_t k) { return k > 0; }

// What a kernel of one pixel sees at a stride of 2. Picked here rather than by
// the convolution: for fewer channels than a vector has lanes the gradient of
// such a one writes beyond its workspace in oneDNN (2.6 with AVX2 at least).
torch::Tensor every_other_pixel(const torch::Tensor& images) {
  return images.slice(2, 0, images.size(2), 2)
      .slice(3, 0, images.size(3), 2)
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

void add_conv(nn::ParameterSet& parameters, nn::ParameterSet& buffers,
              const std::string& layer, std::size_t in, std::size_t out,
              std::size_t kernel) {
  parameters.add(layer + ".weight", {out, in, kernel, kernel});
  parameters.add(layer + ".norm.weight", {out});
  parameters.add(layer + ".norm.bias", {out});
  buffers.add(layer + ".norm.mean", {out});
  buffers.add(layer + ".norm.variance", {out});
}

// All names and shapes, zero values.
void lay_out(const EncoderOptions& options, nn::ParameterSet& parameters,
             nn::ParameterSet& buffers) {
  buffers.add("input.mean", {options.shape.channels});
  buffers.add("input.deviation", {options.shape.channels});
  std::size_t in = options.widths.front();
  add_conv(parameters, buffers, "stem", options.shape.channels, in, 3);
  for (std::size_t k = 0; k < options.widths.size(); ++k) {
    const std::size_t out = options.widths[k];
    add_conv(parameters, buffers, block_name(k) + ".first", in, out, 3);
    add_conv(parameters, buffers, block_name(k) + ".second", out, out, 3);
    if (has_shortcut(k)) {
      add_conv(parameters, buffers, block_name(k) + ".shortcut", in, out, 1);
    }
    in = out;
  }
  parameters.add("head.weight", {options.latent, in});
  parameters.add("head.bias", {options.latent});
}

void fill_he_normals(nn::ParameterSet& parameters, const nn::Parameter& entry,
                     std::uint64_t seed) {
  const std::size_t fan_in = entry.size / entry.shape[0];
  const double scale = std::sqrt(2.0 / static_cast<double>(fan_in));
  nn::Draws draws(seed, nn::Purpose::kInitialise,
                  nn::stream_of_name(entry.name));
  for (float& value : parameters.values(entry.name)) {
    value = static_cast<float>(scale * draws.normal());
  }
}

void initialise(nn::ParameterSet& parameters, std::uint64_t seed) {
  const std::vector<nn::Parameter> entries = parameters.entries();
  for (const nn::Parameter& entry : entries) {
    if (entry.shape.size() == 4) fill_he_normals(parameters, entry, seed);
    if (entry.name.ends_with(".norm.weight")) {
      std::ranges::fill(parameters.values(entry.name), 1.0F);
    }
  }
  nn::initialise_layer(parameters, "head", seed);
}

void initialise_buffers(const EncoderOptions& options,
                        nn::ParameterSet& buffers) {
  const std::vector<nn::Parameter> entries = buffers.entries();
  for (const nn::Parameter& entry : entries) {
    if (entry.name.ends_with(".norm.variance")) {
      std::ranges::fill(buffers.values(entry.name), 1.0F);
    }
  }
  std::ranges::fill(buffers.values("input.deviation"), 1.0F);
  std::ranges::copy(options.mean, buffers.values("input.mean").begin());
  std::ranges::copy(options.deviation,
                    buffers.values("input.deviation").begin());
}

void check_channel_values(const std::vector<float>& values,
                          std::size_t channels, bool is_deviation) {
  const auto is_good = [&](float value) {
    return std::isfinite(value) && (!is_deviation || value > 0.0F);
  };
  if (!values.empty() &&
      (values.size() != channels || !std::ranges::all_of(values, is_good))) {
    throw InvalidArgument(
        std::string("EncoderOptions: ") +
        (is_deviation ? "deviation" : "mean") + " must hold one finite " +
        (is_deviation ? "positive " : "") + "number per channel");
  }
}

}  // namespace

void check_options(const EncoderOptions& options) {
  const ImageShape& shape = options.shape;
  const auto is_extent = [](std::size_t value, std::size_t limit) {
    return value > 0 && value <= limit;
  };
  if (!is_extent(shape.channels, 16) || !is_extent(shape.height, 4096) ||
      !is_extent(shape.width, 4096)) {
    throw InvalidArgument("EncoderOptions: images are " + to_string(shape) +
                          "; 1 to 16 channels and 1 to 4096 rows and columns "
                          "are expected");
  }
  if (!is_extent(options.widths.size(), 6) ||
      !std::ranges::all_of(options.widths, [&](std::size_t width) {
        return is_extent(width, 1024);
      })) {
    throw InvalidArgument(
        "EncoderOptions: widths must be 1 to 6 numbers from 1 to 1024");
  }
  if (!is_extent(options.latent, 8192)) {
    throw InvalidArgument("EncoderOptions: latent is " +
                          std::to_string(options.latent) +
                          "; 1 to 8192 is expected");
  }
  check_channel_values(options.mean, shape.channels, false);
  check_channel_values(options.deviation, shape.channels, true);
}

EncoderOptions options_for(const ImageSet& images) {
  sbog::check_images(images, "options_for");
  if (images.count() == 0) {
    throw InvalidArgument("options_for: there are no images");
  }
  EncoderOptions options;
  options.shape = images.shape;
  const std::size_t plane = images.shape.height * images.shape.width;
  const double count = static_cast<double>(plane * images.count());
  for (std::size_t c = 0; c < images.shape.channels; ++c) {
    // Sums of bytes are exact in 64 bits.
    std::uint64_t sum = 0;
    std::uint64_t squares = 0;
    for (std::size_t i = 0; i < images.count(); ++i) {
      for (const std::uint64_t pixel :
           images.pixels.row(i).subspan(c * plane, plane)) {
        sum += pixel;
        squares += pixel * pixel;
      }
    }
    const double mean = static_cast<double>(sum) / count;
    const double variance = static_cast<double>(squares) / count - mean * mean;
    const double deviation = std::sqrt(std::max(variance, 0.0));
    options.mean.push_back(static_cast<float>(mean / 255.0));
    // Below half a grey value on average there is nothing to scale.
    options.deviation.push_back(
        deviation > 1e-3 ? static_cast<float>(deviation / 255.0) : 1.0F);
  }
  return options;
}

std::size_t parameter_count(const EncoderOptions& options) {
  const auto layer = [](std::size_t in, std::size_t out, std::size_t kernel) {
    return out * (in * kernel * kernel + 2);
  };
  std::size_t in = options.widths.front();
  std::size_t count = layer(options.shape.channels, in, 3);
  for (std::size_t k = 0; k < options.widths.size(); ++k) {
    const std::size_t out = options.widths[k];
    count += layer(in, out, 3) + layer(out, out, 3);
    if (has_shortcut(k)) count += layer(in, out, 1);
    in = out;
  }
  return count + options.latent * (in + 1);
}

Encoder::Encoder(const EncoderOptions& options, std::uint64_t seed)
    : options_(options) {
  check_options(options);
  lay_out(options, like_, like_buffers_);
  initialise(like_, seed);
  initialise_buffers(options, like_buffers_);
  parameters_ = nn::to_tensors(like_, torch::kFloat32, false);
  for (auto& [name, tensor] : parameters_) {
    // oneDNN then keeps all activations with channels innermost: a forward
    // pass takes a quarter less time than plane by plane.
    if (tensor.dim() == 4) {
      tensor = tensor.contiguous(torch::MemoryFormat::ChannelsLast);
    }
    tensor.set_requires_grad(true);
  }
  buffers_ = nn::to_tensors(like_buffers_, torch::kFloat32, false);
}

torch::Tensor Encoder::convolve(const std::string& layer,
                                const torch::Tensor& in, std::int64_t stride,
                                bool is_training) const {
  const torch::Tensor& weight = parameters_.at(layer + ".weight");
  const torch::Tensor out =
      torch::conv2d(in, weight, {}, stride, weight.size(2) / 2);
  return torch::batch_norm(out, parameters_.at(layer + ".norm.weight"),
                           parameters_.at(layer + ".norm.bias"),
                           buffers_.at(layer + ".norm.mean"),
                           buffers_.at(layer + ".norm.variance"), is_training,
                           kBatchNormMomentum, kBatchNormEpsilon, false);
}

torch::Tensor Encoder::run(const torch::Tensor& images,
                           bool is_training) const {
  require_images(images, options_.shape, "Encoder");
  torch::Tensor x =
      (images - buffers_.at("input.mean").reshape({1, -1, 1, 1})) /
      buffers_.at("input.deviation").reshape({1, -1, 1, 1});
  // In place where nothing else looks: large tensors cost memory traffic.
  x = convolve("stem", x, 1, is_training).relu_();
  for (std::size_t k = 0; k < options_.widths.size(); ++k) {
    const std::string block = block_name(k);
    const std::int64_t stride = k == 0 ? 1 : 2;
    const torch::Tensor inner =
        convolve(block + ".first", x, stride, is_training).relu_();
    torch::Tensor outer = convolve(block + ".second", inner, 1, is_training);
    if (has_shortcut(k)) {
      x = convolve(block + ".shortcut", every_other_pixel(x), 1, is_training);
    }
    x = outer.add_(x).relu_();
  }
  return nn::linear_rows(x.mean({2, 3}), parameters_.at("head.weight"),
                         parameters_.at("head.bias"));
}

torch::Tensor Encoder::train_forward(const torch::Tensor& images) {
  if (images.defined() && images.dim() == 4 && images.size(0) < 2) {
    throw InvalidArgument("Encoder: batch statistics need two images or more");
  }
  return run(images, true);
}

torch::Tensor Encoder::forward(const torch::Tensor& images) const {
  return run(images, false);
}

torch::Tensor Encoder::embed(const torch::Tensor& images) const {
  return unit_rows(forward(images));
}

Embed Encoder::embedding() const {
  Encoder frozen = clone(parameters_.begin()->second.scalar_type());
  frozen.freeze();
  return [frozen](const torch::Tensor& images) { return frozen.embed(images); };
}

nn::ParameterSet Encoder::parameter_set() const {
  nn::ParameterSet set = like_;
  nn::from_tensors(parameters_, set);
  return set;
}

nn::ParameterSet Encoder::buffer_set() const {
  nn::ParameterSet set = like_buffers_;
  nn::from_tensors(buffers_, set);
  return set;
}

void Encoder::set_values(const nn::ParameterSet& parameters,
                         const nn::ParameterSet& buffers) {
  const torch::NoGradGuard no_gradient;
  const auto copy = [](const nn::ParameterSet& from, nn::TensorMap& to) {
    if (from.entries().size() != to.size()) {
      throw InvalidArgument("Encoder: the values are of another network");
    }
    for (auto& [name, tensor] : nn::to_tensors(from, torch::kFloat32, false)) {
      const auto found = to.find(name);
      if (found == to.end() || found->second.sizes() != tensor.sizes()) {
        throw InvalidArgument("Encoder: " + name +
                              " is not a tensor of this network");
      }
      found->second.copy_(tensor);
    }
  };
  copy(parameters, parameters_);
  copy(buffers, buffers_);
}

Encoder Encoder::clone(torch::ScalarType type) const {
  Encoder copy = *this;
  for (auto& [name, tensor] : copy.parameters_) {
    const bool asks = tensor.requires_grad();
    tensor = tensor.detach().to(type, false, true).set_requires_grad(asks);
  }
  for (auto& [name, tensor] : copy.buffers_) {
    tensor = tensor.detach().to(type, false, true);
  }
  return copy;
}

void Encoder::freeze() {
  for (auto& [name, tensor] : parameters_) tensor.set_requires_grad(false);
}

torch::Tensor unit_rows(const torch::Tensor& rows) {
  return torch::nn::functional::normalize(
      rows, torch::nn::functional::NormalizeFuncOptions().dim(1));
}

}  // namespace sbog::image
