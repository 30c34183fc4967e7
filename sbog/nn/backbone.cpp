// SPDX-License-Identifier: Apache-2.0
// The forward pass; the backward pass is in backbone_backward.cpp.
#include "sbog/nn/backbone.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sbog/base/errors.h"
#include "sbog/nn/detail/backbone_state.h"
#include "sbog/nn/detail/conv_kernel.h"
#include "sbog/nn/detail/norm_kernel.h"
#include "sbog/nn/flush_denormals.h"

namespace sbog::series {

Backbone::Backbone(const EncoderOptions& options, std::size_t capacity)
    : options_(options),
      plan_(make_plan(options)),
      capacity_(capacity),
      scratch_(std::make_unique<Scratch>()) {
  const std::size_t rounded = detail::rounded_width(options.width);
  const std::size_t padded = detail::padded_width(options.width);
  for (const ConvLayer& layer : plan_.layers) {
    Layer state;
    state.shape = {layer.inputs, layer.outputs, layer.kernel, layer.left,
                   options.width};
    state.y = Matrix<float>(capacity * layer.outputs, rounded);
    const std::size_t weights = layer.inputs * layer.outputs * layer.kernel;
    state.packed.resize(weights);
    state.transposed.resize(weights);
    state.affine.resize(layer.outputs);
    state.mean.resize(layer.outputs);
    state.inverse_deviation.resize(layer.outputs);
    state.law.resize(layer.outputs);
    state.sums.resize(layer.outputs);
    state.moments.resize(layer.outputs);
    layers_.push_back(std::move(state));
  }
  const std::size_t wide = options.features();
  scratch_->input = Matrix<float>(options.channels, padded);
  if (options.layout == WindowLayout::kScramble) {
    scratch_->plain = Matrix<float>(options.channels, options.width);
  }
  for (Matrix<float>* matrix :
       {&scratch_->activation, &scratch_->second, &scratch_->gradient,
        &scratch_->shortcut_gradient}) {
    *matrix = Matrix<float>(wide, padded);
  }
}

Backbone::Backbone(Backbone&&) noexcept = default;
Backbone& Backbone::operator=(Backbone&&) noexcept = default;
Backbone::~Backbone() = default;

std::size_t Backbone::capacity() const { return capacity_; }

MatrixView<float> Backbone::rows_of(Matrix<float>& all, std::size_t channels,
                                    std::size_t b) const {
  return all.view().subrows(b * channels, channels);
}

void Backbone::prepare(const nn::ParameterSet& parameters, std::size_t count,
                       MatrixView<float> features) {
  if (count == 0 || count > capacity_ || features.rows() != count ||
      features.cols() != options_.features()) {
    throw InvalidArgument("Backbone: between 1 and " +
                          std::to_string(capacity_) +
                          " windows with one row of features each are "
                          "expected");
  }
  count_ = count;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const auto weights = parameters.values(plan_.layers[l].conv + ".weight");
    detail::pack_weights(weights.data(), layers_[l].shape,
                         layers_[l].packed.data());
    detail::pack_transposed(weights.data(), layers_[l].shape,
                            layers_[l].transposed.data());
  }
}

void Backbone::forward_train(const nn::ParameterSet& parameters,
                             nn::ParameterSet& buffers, std::size_t count,
                             const FillWindow& fill,
                             MatrixView<float> features) {
  prepare(parameters, count, features);
  mode_ = Mode::kTrain;
  run_forward(parameters, fill, &buffers, features);
}

void Backbone::forward_eval(const nn::ParameterSet& parameters,
                            const nn::ParameterSet& buffers, std::size_t count,
                            const FillWindow& fill,
                            MatrixView<float> features) {
  prepare(parameters, count, features);
  mode_ = Mode::kEval;
  take_running(parameters, buffers);
  run_forward(parameters, fill, nullptr, features);
}

void Backbone::run_forward(const nn::ParameterSet& parameters,
                           const FillWindow& fill, nn::ParameterSet* buffers,
                           MatrixView<float> features) {
  const nn::FlushDenormals flush;
  const auto finish = [&](std::size_t layer) {
    if (buffers != nullptr) finish_statistics(layer, parameters, *buffers);
  };
  for (std::size_t n = 0; n < plan_.blocks.size(); ++n) {
    const Block& block = plan_.blocks[n];
    for (std::size_t b = 0; b < count_; ++b) {
      const float* in = block_input(n, b, fill);
      convolve_layer(block.first, b, in, parameters);
      if (block.has_shortcut) {
        convolve_layer(block.shortcut, b, in, parameters);
      }
    }
    finish(block.first);
    if (block.has_shortcut) finish(block.shortcut);
    for (std::size_t l = block.first + 1; l < block.first + 3; ++l) {
      for (std::size_t b = 0; b < count_; ++b) {
        convolve_layer(l, b, activation(l - 1, b), parameters);
      }
      finish(l);
    }
  }
  for (std::size_t b = 0; b < count_; ++b) {
    block_output(plan_.blocks.size() - 1, b, scratch_->activation);
    for (std::size_t c = 0; c < features.cols(); ++c) {
      const double sum =
          detail::row_sum(sample0(scratch_->activation, c), options_.width);
      features(b, c) =
          static_cast<float>(sum / static_cast<double>(options_.width));
    }
  }
}

void Backbone::convolve_layer(std::size_t layer, std::size_t b, const float* in,
                              const nn::ParameterSet& parameters) {
  Layer& state = layers_[layer];
  const MatrixView<float> y = rows_of(state.y, state.shape.outputs, b);
  detail::convolve(state.shape, state.packed.data(),
                   parameters.values(plan_.layers[layer].conv + ".bias").data(),
                   in, detail::padded_width(options_.width), false, y.data(),
                   y.row_stride());
  if (mode_ == Mode::kEval) return;
  for (std::size_t c = 0; c < state.shape.outputs; ++c) {
    if (b == 0) state.moments[c] = {};
    state.moments[c].add(detail::row_moments(y.row(c).data(), options_.width),
                         b, options_.width);
  }
}

void Backbone::finish_statistics(std::size_t layer,
                                 const nn::ParameterSet& parameters,
                                 nn::ParameterSet& buffers) {
  Layer& state = layers_[layer];
  const std::string& norm = plan_.layers[layer].norm;
  const auto weight = parameters.values(norm + ".weight");
  const auto bias = parameters.values(norm + ".bias");
  const auto running_mean = buffers.values(norm + ".running_mean");
  const auto running_var = buffers.values(norm + ".running_var");
  const double samples = static_cast<double>(count_ * options_.width);
  const auto move = [](float& value, double to) {
    value = static_cast<float>((1.0 - kBatchNormMomentum) * value +
                               kBatchNormMomentum * to);
  };
  for (std::size_t c = 0; c < state.shape.outputs; ++c) {
    const detail::RowMoments& moments = state.moments[c].total;
    state.set_norm(c, moments.mean, moments.squares / samples, weight[c],
                   bias[c]);
    move(running_mean[c], moments.mean);
    move(running_var[c], moments.squares / std::max(samples - 1.0, 1.0));
  }
}

void Backbone::take_running(const nn::ParameterSet& parameters,
                            const nn::ParameterSet& buffers) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::string& norm = plan_.layers[l].norm;
    const auto weight = parameters.values(norm + ".weight");
    const auto bias = parameters.values(norm + ".bias");
    const auto mean = buffers.values(norm + ".running_mean");
    const auto var = buffers.values(norm + ".running_var");
    for (std::size_t c = 0; c < mean.size(); ++c) {
      layers_[l].set_norm(c, mean[c], var[c], weight[c], bias[c]);
    }
  }
}

const float* Backbone::block_input(std::size_t block, std::size_t b,
                                   const FillWindow& fill) {
  Matrix<float>& to = block == 0 ? scratch_->input : scratch_->activation;
  if (block > 0) {
    block_output(block - 1, b, to);
    return sample0(to, 0);
  }
  const MatrixView<float> rows(sample0(to, 0), options_.channels,
                               options_.width, to.cols());
  if (options_.layout == WindowLayout::kTranspose) {
    fill(b, rows);
  } else {
    fill(b, scratch_->plain);
    scramble(scratch_->plain, rows);
  }
  return sample0(to, 0);
}

void Backbone::block_output(std::size_t block, std::size_t b,
                            Matrix<float>& to) {
  const Block& shape = plan_.blocks[block];
  const std::size_t width = options_.width;
  if (shape.has_identity) block_output(block - 1, b, scratch_->second);
  Layer& main = layers_[shape.first + 2];
  const std::size_t outputs = main.shape.outputs;
  for (std::size_t c = 0; c < outputs; ++c) {
    float* row = sample0(to, c);
    detail::normalise_relu(main.y.row(b * outputs + c).data(), main.affine[c],
                           width, row);
    if (shape.has_shortcut) {
      Layer& side = layers_[shape.shortcut];
      detail::add_normalised(side.y.row(b * outputs + c).data(), side.affine[c],
                             width, row);
    }
    if (shape.has_identity) {
      detail::add_row(sample0(scratch_->second, c), width, row);
    }
  }
}

const float* Backbone::activation(std::size_t layer, std::size_t b) {
  Layer& state = layers_[layer];
  const std::size_t outputs = state.shape.outputs;
  for (std::size_t c = 0; c < outputs; ++c) {
    detail::normalise_relu(state.y.row(b * outputs + c).data(), state.affine[c],
                           options_.width, sample0(scratch_->activation, c));
  }
  return sample0(scratch_->activation, 0);
}

}  // namespace sbog::series
