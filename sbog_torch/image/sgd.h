// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum on named tensors, and the cosine
// schedule per step.
//   g = gradient + decay p;  v = momentum v + g;
//   p -= rate (g + momentum v) with Nesterov's step, rate v without.
#pragma once

#include <cstddef>

#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {

/// Settings of the descent.
struct SgdOptions {
  double learning_rate = 0.1;
  double final_rate = 1e-6;  ///< the schedule ends here
  double momentum = 0.9;
  double weight_decay = 5e-4;
  bool is_nesterov = true;
};

/// Throws InvalidArgument unless rates and decay are finite and >= 0 and the
/// momentum lies in [0, 1).
void check_options(const SgdOptions& options);

/// final + (rate - final) (1 + cos(pi step / steps)) / 2.
double cosine_rate(const SgdOptions& options, std::size_t step,
                   std::size_t steps);

/// See the top of the file. The tensors are shared with whoever gave them.
class Sgd {
 public:
  Sgd(const nn::TensorMap& parameters, const SgdOptions& options);

  /// One step with the gradients that are there; a tensor without one stays.
  /// Gradients are cleared.
  void step(double rate);
  void clear_gradients();

  /// v of each parameter, zero at first; to be stored and restored.
  nn::TensorMap& velocities() { return velocities_; }

 private:
  SgdOptions options_;
  nn::TensorMap parameters_;
  nn::TensorMap velocities_;
};

}  // namespace sbog::image
