// SPDX-License-Identifier: Apache-2.0
// The backward pass of backbone.h. Per layer two sums over the batch are needed
// before any gradient can pass its normalisation; they are taken in the sweep
// that computes the gradient.
#include <algorithm>

#include "sbog/base/errors.h"
#include "sbog/nn/backbone.h"
#include "sbog/nn/detail/backbone_state.h"
#include "sbog/nn/detail/conv_kernel.h"
#include "sbog/nn/detail/norm_kernel.h"
#include "sbog/nn/flush_denormals.h"

namespace sbog::series {

void Backbone::backward(MatrixView<const float> feature_gradients,
                        const FillWindow& fill, nn::ParameterSet& gradients) {
  if (mode_ != Mode::kTrain) {
    throw InvalidArgument(
        "Backbone: backward needs a forward pass in training "
        "mode");
  }
  const nn::FlushDenormals flush;
  start_backward(feature_gradients);
  for (Layer& layer : layers_) {
    const std::size_t size = detail::weight_sum_size(layer.shape);
    if (layer.weight_sums.cols() != size) {
      layer.weight_sums = Matrix<float>(1, size);
    }
    std::fill_n(layer.weight_sums.data(), size, 0.0F);
  }
  run_backward(fill, &gradients, nullptr);
  finish_weights(gradients);
}

void Backbone::input_gradient(MatrixView<const float> feature_gradients,
                              MatrixView<float> out) {
  if (mode_ != Mode::kEval || count_ != 1) {
    throw InvalidArgument(
        "Backbone: input_gradient needs a forward pass of "
        "one window in evaluation mode");
  }
  if (out.rows() != options_.channels || out.cols() != options_.width) {
    throw InvalidArgument(
        "Backbone: input_gradient writes channels x width "
        "numbers");
  }
  const nn::FlushDenormals flush;
  start_backward(feature_gradients);
  run_backward({}, nullptr, &out);  // without weights nothing is filled
}

void Backbone::start_backward(MatrixView<const float> feature_gradients) {
  if (feature_gradients.rows() != count_ ||
      feature_gradients.cols() != options_.features()) {
    throw InvalidArgument(
        "Backbone: one row of feature gradients per window "
        "of the last forward pass is expected");
  }
  const std::size_t wide = options_.features();
  const std::size_t rounded = detail::rounded_width(options_.width);
  for (Matrix<float>* matrix : {&scratch_->block, &scratch_->main}) {
    if (matrix->rows() == 0) *matrix = Matrix<float>(capacity_ * wide, rounded);
  }
  const float share = 1.0F / static_cast<float>(options_.width);
  for (std::size_t b = 0; b < count_; ++b) {
    for (std::size_t c = 0; c < wide; ++c) {
      const auto row = scratch_->block.row(b * wide + c);
      std::fill(row.begin(), row.end(), share * feature_gradients(b, c));
    }
  }
}

void Backbone::run_backward(const FillWindow& fill, nn::ParameterSet* gradients,
                            MatrixView<float>* input) {
  const bool wants_weights = gradients != nullptr;
  const std::size_t last = plan_.blocks.size() - 1;
  for (std::size_t b = 0; b < count_; ++b) enter_block(last, b);
  for (std::size_t n = last + 1; n-- > 0;) {
    const Block& block = plan_.blocks[n];
    finish_norm_gradient(block.first + 2, gradients);
    if (block.has_shortcut) finish_norm_gradient(block.shortcut, gradients);
    for (std::size_t l = block.first + 2; l > block.first; --l) {
      for (std::size_t b = 0; b < count_; ++b) {
        backward_main(l, b, wants_weights);
      }
      finish_norm_gradient(l - 1, gradients);
    }
    for (std::size_t b = 0; b < count_; ++b) {
      backward_first(n, b, fill, wants_weights, input);
      if (n > 0) enter_block(n - 1, b);
    }
  }
}

// Splits the gradient of a block's output into that of the main path, where
// ReLU was on, and takes the sums of both normalisations.
void Backbone::enter_block(std::size_t block, std::size_t b) {
  const Block& shape = plan_.blocks[block];
  Layer& main = layers_[shape.first + 2];
  const std::size_t outputs = main.shape.outputs;
  for (std::size_t c = 0; c < outputs; ++c) {
    const std::size_t row = b * outputs + c;
    const auto whole = scratch_->block.row(row);
    const auto masked = scratch_->main.row(row);
    std::copy(whole.begin(), whole.end(), masked.begin());
    main.add_sums(c, b,
                  detail::mask_and_sum(
                      masked.data(), main.y.row(row).data(), main.affine[c],
                      static_cast<float>(main.mean[c]), options_.width));
    if (!shape.has_shortcut) continue;
    Layer& side = layers_[shape.shortcut];
    side.add_sums(c, b,
                  detail::gradient_sums(whole.data(), side.y.row(row).data(),
                                        static_cast<float>(side.mean[c]),
                                        options_.width));
  }
}

// From the sums to the law of the gradient: with n = w (y - mean) r + bias,
//   dy = w r (g - sum(g) / M - (y - mean) r^2 sum(g (y - mean)) / M).
void Backbone::finish_norm_gradient(std::size_t layer,
                                    nn::ParameterSet* gradients) {
  Layer& state = layers_[layer];
  const double samples = static_cast<double>(count_ * options_.width);
  const bool is_training = mode_ == Mode::kTrain;
  for (std::size_t c = 0; c < state.shape.outputs; ++c) {
    const double slope = state.affine[c].scale;
    const double r = state.inverse_deviation[c];
    const detail::GradientSums& sums = state.sums[c];
    state.law[c] = {
        static_cast<float>(slope),
        is_training
            ? static_cast<float>(-slope * r * r * sums.weighted / samples)
            : 0.0F,
        static_cast<float>(state.mean[c]),
        is_training ? static_cast<float>(-slope * sums.plain / samples) : 0.0F};
    if (gradients == nullptr) continue;
    const std::string& norm = plan_.layers[layer].norm;
    gradients->values(norm + ".weight")[c] +=
        static_cast<float>(sums.weighted * r);
    gradients->values(norm + ".bias")[c] += static_cast<float>(sums.plain);
  }
}

// The gradient of the output of a convolution, padded.
const float* Backbone::layer_gradient(std::size_t layer,
                                      const Matrix<float>& from, std::size_t b,
                                      Matrix<float>& to) {
  Layer& state = layers_[layer];
  const std::size_t outputs = state.shape.outputs;
  for (std::size_t c = 0; c < outputs; ++c) {
    const std::size_t row = b * outputs + c;
    detail::norm_gradient(from.row(row).data(), state.y.row(row).data(),
                          state.law[c], options_.width, sample0(to, c));
  }
  return sample0(to, 0);
}

// One layer inside a block: weights, then the gradient one layer down.
void Backbone::backward_main(std::size_t layer, std::size_t b,
                             bool wants_weights) {
  Layer& state = layers_[layer];
  Layer& below = layers_[layer - 1];
  const std::size_t padded = detail::padded_width(options_.width);
  const float* dy =
      layer_gradient(layer, scratch_->main, b, scratch_->gradient);
  if (wants_weights) {
    detail::add_weight_gradient(state.shape, dy, padded,
                                activation(layer - 1, b), padded,
                                state.weight_sums.data());
  }
  const std::size_t outputs = below.shape.outputs;
  const MatrixView<float> g = rows_of(scratch_->main, outputs, b);
  detail::convolve(detail::transposed(state.shape), state.transposed.data(),
                   nullptr, dy, padded, false, g.data(), g.row_stride());
  for (std::size_t c = 0; c < outputs; ++c) {
    below.add_sums(c, b,
                   detail::mask_and_sum(
                       g.row(c).data(), below.y.row(b * outputs + c).data(),
                       below.affine[c], static_cast<float>(below.mean[c]),
                       options_.width));
  }
}

// The first layer of a block and its shortcut share their input.
void Backbone::backward_first(std::size_t block, std::size_t b,
                              const FillWindow& fill, bool wants_weights,
                              MatrixView<float>* input) {
  const Block& shape = plan_.blocks[block];
  const std::size_t padded = detail::padded_width(options_.width);
  Layer& main = layers_[shape.first];
  Layer& side = layers_[shape.has_shortcut ? shape.shortcut : shape.first];
  const float* dy =
      layer_gradient(shape.first, scratch_->main, b, scratch_->gradient);
  const float* side_dy = shape.has_shortcut
                             ? layer_gradient(shape.shortcut, scratch_->block,
                                              b, scratch_->shortcut_gradient)
                             : nullptr;
  if (wants_weights) {
    const float* in = block_input(block, b, fill);
    detail::add_weight_gradient(main.shape, dy, padded, in, padded,
                                main.weight_sums.data());
    if (side_dy != nullptr) {
      detail::add_weight_gradient(side.shape, side_dy, padded, in, padded,
                                  side.weight_sums.data());
    }
  }
  if (block == 0 && input == nullptr) return;
  const std::size_t inputs = main.shape.inputs;
  Matrix<float> whole_input;
  if (block == 0) {
    whole_input = Matrix<float>(inputs, detail::rounded_width(options_.width));
  }
  Matrix<float>& target = block == 0 ? whole_input : scratch_->block;
  const MatrixView<float> to = rows_of(target, inputs, block == 0 ? 0 : b);
  detail::convolve(detail::transposed(main.shape), main.transposed.data(),
                   nullptr, dy, padded, shape.has_identity, to.data(),
                   to.row_stride());
  if (side_dy != nullptr) {
    detail::convolve(detail::transposed(side.shape), side.transposed.data(),
                     nullptr, side_dy, padded, true, to.data(),
                     to.row_stride());
  }
  if (block > 0) return;
  if (options_.layout == WindowLayout::kScramble) {
    unscramble({to.data(), inputs, options_.width, to.row_stride()}, *input);
    return;
  }
  for (std::size_t c = 0; c < inputs; ++c) {
    std::copy_n(to.row(c).data(), options_.width, input->row(c).data());
  }
}

void Backbone::finish_weights(nn::ParameterSet& gradients) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    detail::finish_weight_gradient(
        layers_[l].shape, layers_[l].weight_sums.data(),
        gradients.values(plan_.layers[l].conv + ".weight").data());
  }
}

}  // namespace sbog::series
