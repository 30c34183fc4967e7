// SPDX-License-Identifier: Apache-2.0
// The same network in LibTorch, with its tape: the reference of the tests and
// the yardstick of the benchmark. LibTorch stays behind the source file.
#pragma once

#include <memory>

#include "sbog/base/matrix.h"
#include "sbog/nn/adam.h"
#include "sbog/nn/parameter_set.h"
#include "sbog/nn/resnet_plan.h"

namespace sbog::series {

/// See the top of the file. LibTorch runs with one thread from the first
/// construction on.
class TorchEncoder {
 public:
  enum class Precision { kFloat, kDouble };
  /// What a gradient is given for.
  enum class Output { kFeatures, kPoints };

  /// Works on copies of parameters and buffers.
  TorchEncoder(const EncoderOptions& options,
               const nn::ParameterSet& parameters,
               const nn::ParameterSet& buffers, Precision precision);
  TorchEncoder(const TorchEncoder&) = delete;
  TorchEncoder& operator=(const TorchEncoder&) = delete;
  ~TorchEncoder();

  /// Everything about one pass.
  struct Pass {
    Matrix<float> values;           ///< features or points
    nn::ParameterSet gradients;     ///< of <d_values, values>
    Matrix<float> input_gradients;  ///< the same, as the windows
    nn::ParameterSet buffers;       ///< after the pass
  };
  /// Rows of `windows` are channels x width numbers, channel by channel.
  Pass run(MatrixView<const float> windows, Output output,
           MatrixView<const float> d_values, bool is_training);

  /// One training step with InfoNCE and LibTorch's AdamW on 3B windows;
  /// returns the loss.
  double train_step(MatrixView<const float> windows, double temperature,
                    const nn::AdamOptions& options);

  /// The parameters as they are now.
  nn::ParameterSet parameters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sbog::series
