// SPDX-License-Identifier: Apache-2.0
// Forward and backward passes of the ResNet without a tape: convolution, batch
// normalisation and ReLU are fused window by window, so that the samples of a
// window stay in the first-level cache. Only the outputs of the convolutions
// are kept; activations are computed again where they are needed. Batch
// statistics force one sweep over the batch per layer.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "sbog/base/matrix.h"
#include "sbog/nn/parameter_set.h"
#include "sbog/nn/resnet_plan.h"

namespace sbog::series {

/// Writes window b of a batch into rows of `width` samples, one per channel;
/// the layout of the options is the network's own affair.
/// It is called again in the backward pass and must give the same values.
using FillWindow = std::function<void(std::size_t b, MatrixView<float> rows)>;

/// Work space for batches of up to `capacity` windows. Parameters stay the
/// caller's, so that several work spaces may share them.
class Backbone {
 public:
  Backbone(const EncoderOptions& options, std::size_t capacity);
  Backbone(Backbone&&) noexcept;
  Backbone& operator=(Backbone&&) noexcept;
  ~Backbone();

  /// Features of `count` windows (count x 2 mid) with the statistics of the
  /// batch, which also move the running ones in `buffers`.
  void forward_train(const nn::ParameterSet& parameters,
                     nn::ParameterSet& buffers, std::size_t count,
                     const FillWindow& fill, MatrixView<float> features);

  /// The same with the running statistics. A window's features do not depend
  /// on the others of the batch.
  void forward_eval(const nn::ParameterSet& parameters,
                    const nn::ParameterSet& buffers, std::size_t count,
                    const FillWindow& fill, MatrixView<float> features);

  /// Adds the gradients of the parameters for given gradients of the features
  /// of the last forward pass, which must have been in train mode. The bias of
  /// a convolution has gradient 0 exactly: the normalisation removes it.
  void backward(MatrixView<const float> feature_gradients,
                const FillWindow& fill, nn::ParameterSet& gradients);

  /// The gradient with respect to the window (channels x width) of the last
  /// forward_eval, which must have been of one window.
  void input_gradient(MatrixView<const float> feature_gradients,
                      MatrixView<float> out);

  std::size_t capacity() const;

 private:
  struct Layer;
  struct Scratch;
  enum class Mode { kTrain, kEval };

  MatrixView<float> rows_of(Matrix<float>& all, std::size_t channels,
                            std::size_t b) const;
  void prepare(const nn::ParameterSet& parameters, std::size_t count,
               MatrixView<float> features);
  void run_forward(const nn::ParameterSet& parameters, const FillWindow& fill,
                   nn::ParameterSet* buffers, MatrixView<float> features);
  void convolve_layer(std::size_t layer, std::size_t b, const float* in,
                      const nn::ParameterSet& parameters);
  void finish_statistics(std::size_t layer, const nn::ParameterSet& parameters,
                         nn::ParameterSet& buffers);
  void take_running(const nn::ParameterSet& parameters,
                    const nn::ParameterSet& buffers);
  const float* block_input(std::size_t block, std::size_t b,
                           const FillWindow& fill);
  void block_output(std::size_t block, std::size_t b, Matrix<float>& to);
  const float* activation(std::size_t layer, std::size_t b);
  void start_backward(MatrixView<const float> feature_gradients);
  void run_backward(const FillWindow& fill, nn::ParameterSet* gradients,
                    MatrixView<float>* input);
  void enter_block(std::size_t block, std::size_t b);
  void finish_norm_gradient(std::size_t layer, nn::ParameterSet* gradients);
  const float* layer_gradient(std::size_t layer, const Matrix<float>& from,
                              std::size_t b, Matrix<float>& to);
  void backward_main(std::size_t layer, std::size_t b, bool wants_weights);
  void backward_first(std::size_t block, std::size_t b, const FillWindow& fill,
                      bool wants_weights, MatrixView<float>* input);
  void finish_weights(nn::ParameterSet& gradients);

  EncoderOptions options_;
  ResnetPlan plan_;
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;  // windows of the last forward pass
  Mode mode_ = Mode::kEval;
  std::vector<Layer> layers_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace sbog::series
