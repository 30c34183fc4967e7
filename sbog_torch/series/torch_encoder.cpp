// SPDX-License-Identifier: Apache-2.0
// The ResNet with LibTorch's own operations; see torch_encoder.h.
#include "sbog_torch/series/torch_encoder.h"

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "sbog/base/errors.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::series {

namespace F = torch::nn::functional;

struct TorchEncoder::State {
  EncoderOptions options;
  ResnetPlan plan;
  nn::ParameterSet like;
  nn::ParameterSet like_buffers;
  torch::ScalarType type;
  nn::TensorMap parameters;
  nn::TensorMap buffers;
  std::unique_ptr<torch::optim::AdamW> optimiser;

  const torch::Tensor& at(const std::string& name) const {
    return parameters.at(name);
  }
  torch::Tensor layer(std::size_t index, const torch::Tensor& in,
                      bool is_training) const;
  torch::Tensor features(const torch::Tensor& windows, bool is_training) const;
  torch::Tensor project(const torch::Tensor& features) const;
  torch::Tensor windows_of(MatrixView<const float> windows) const;
  torch::Tensor arranged(const torch::Tensor& windows) const;
  void clear_gradients();
};

torch::Tensor TorchEncoder::State::layer(std::size_t index,
                                         const torch::Tensor& in,
                                         bool is_training) const {
  const ConvLayer& layer = plan.layers[index];
  const auto left = static_cast<std::int64_t>(layer.left);
  const auto right = static_cast<std::int64_t>(layer.kernel - 1 - layer.left);
  const torch::Tensor out =
      torch::conv1d(torch::constant_pad_nd(in, {left, right}),
                    at(layer.conv + ".weight"), at(layer.conv + ".bias"));
  return torch::batch_norm(out, at(layer.norm + ".weight"),
                           at(layer.norm + ".bias"),
                           buffers.at(layer.norm + ".running_mean"),
                           buffers.at(layer.norm + ".running_var"), is_training,
                           kBatchNormMomentum, kBatchNormEpsilon, false);
}

torch::Tensor TorchEncoder::State::features(const torch::Tensor& windows,
                                            bool is_training) const {
  torch::Tensor x = windows;
  for (const Block& block : plan.blocks) {
    torch::Tensor out = x;
    for (std::size_t l = block.first; l < block.first + 3; ++l) {
      out = torch::relu(layer(l, out, is_training));
    }
    if (block.has_shortcut) out = out + layer(block.shortcut, x, is_training);
    if (block.has_identity) out = out + x;
    x = out;
  }
  return x.mean(2);
}

torch::Tensor TorchEncoder::State::project(
    const torch::Tensor& features) const {
  const torch::Tensor hidden =
      torch::relu(torch::linear(features, at("projection.linear1.weight"),
                                at("projection.linear1.bias")));
  const torch::Tensor raw = torch::linear(
      hidden, at("projection.linear2.weight"), at("projection.linear2.bias"));
  return F::normalize(raw, F::NormalizeFuncOptions().dim(1).eps(1e-12));
}

torch::Tensor TorchEncoder::State::windows_of(
    MatrixView<const float> windows) const {
  if (windows.cols() != options.channels * options.width) {
    throw InvalidArgument(
        "TorchEncoder: rows of channels x width numbers are "
        "expected");
  }
  return nn::to_tensor(windows, type);
}

torch::Tensor TorchEncoder::State::arranged(
    const torch::Tensor& windows) const {
  const auto channels = static_cast<std::int64_t>(options.channels);
  const auto width = static_cast<std::int64_t>(options.width);
  const torch::Tensor shaped = windows.reshape({-1, channels, width});
  if (options.layout == WindowLayout::kTranspose) return shaped;
  return shaped.transpose(1, 2).reshape({-1, channels, width});
}

void TorchEncoder::State::clear_gradients() {
  for (auto& [name, tensor] : parameters) tensor.mutable_grad().reset();
}

TorchEncoder::TorchEncoder(const EncoderOptions& options,
                           const nn::ParameterSet& parameters,
                           const nn::ParameterSet& buffers,
                           Precision precision) {
  nn::use_one_torch_thread();
  const torch::ScalarType type =
      precision == Precision::kFloat ? torch::kFloat32 : torch::kFloat64;
  state_ = std::make_unique<State>(
      State{options, make_plan(options), parameters, buffers, type,
            nn::to_tensors(parameters, type, true),
            nn::to_tensors(buffers, type, false), nullptr});
}

TorchEncoder::~TorchEncoder() = default;

TorchEncoder::Pass TorchEncoder::run(MatrixView<const float> windows,
                                     Output output,
                                     MatrixView<const float> d_values,
                                     bool is_training) {
  state_->clear_gradients();
  torch::Tensor in = state_->windows_of(windows).set_requires_grad(true);
  torch::Tensor values = state_->features(state_->arranged(in), is_training);
  if (output == Output::kPoints) values = state_->project(values);
  (values * nn::to_tensor(d_values, state_->type)).sum().backward();
  Pass pass{nn::to_matrix(values),
            nn::gradients_of(state_->parameters, state_->like),
            nn::to_matrix(in.grad()), state_->like_buffers};
  nn::from_tensors(state_->buffers, pass.buffers);
  return pass;
}

double TorchEncoder::train_step(MatrixView<const float> windows,
                                double temperature,
                                const nn::AdamOptions& options) {
  if (state_->optimiser == nullptr) {
    std::vector<torch::Tensor> all;
    for (auto& [name, tensor] : state_->parameters) all.push_back(tensor);
    state_->optimiser = std::make_unique<torch::optim::AdamW>(
        all, torch::optim::AdamWOptions(options.learning_rate)
                 .betas({options.beta1, options.beta2})
                 .eps(options.epsilon)
                 .weight_decay(options.weight_decay));
  }
  state_->optimiser->zero_grad();
  const torch::Tensor points = state_->project(
      state_->features(state_->arranged(state_->windows_of(windows)), true));
  const std::vector<torch::Tensor> parts = points.chunk(3);
  const torch::Tensor near = (parts[0] * parts[1]).sum(1, true) / temperature;
  const torch::Tensor far = parts[0].mm(parts[2].t()) / temperature;
  const torch::Tensor loss =
      (torch::cat({near, far}, 1).logsumexp(1) - near.squeeze(1)).mean();
  loss.backward();
  state_->optimiser->step();
  return loss.item<double>();
}

nn::ParameterSet TorchEncoder::parameters() const {
  nn::ParameterSet set = state_->like;
  nn::from_tensors(state_->parameters, set);
  return set;
}

}  // namespace sbog::series
