// SPDX-License-Identifier: Apache-2.0
// Training of the rectified flow: the mean squared gap between v(x_t, t | z')
// and image - noise at uniform t, with z' = normalise(z + s u eta), u uniform,
// so that conditions between the training latents are seen. What is kept is a
// running mean of the weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/nn/adam.h"
#include "sbog_torch/image/decoder_problem.h"
#include "sbog_torch/image/flow.h"

namespace sbog::image {

/// Settings.
struct FlowOptions {
  std::size_t width = 16;   ///< channels at full size, a multiple of 4
  std::size_t hidden = 64;  ///< of the condition
  std::size_t steps = 10;   ///< of Euler, when decoding
  std::size_t epochs = 30;
  std::size_t batch = 64;  ///< fewer when there are fewer images
  /// Length of the noise on a condition: s = perturbation / sqrt(m).
  double perturbation = 0.3326;
  double averaging = 0.998;  ///< of the running mean of weights, per step
  /// Followed down a cosine over the steps.
  nn::AdamOptions optimiser{2e-3, 0.9, 0.999, 1e-8, 0.0, false};
  std::uint64_t seed = 12;
};

/// Throws InvalidArgument for options out of range.
void check_options(const FlowOptions& options);

/// What happened.
struct FlowHistory {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled
  std::vector<double> errors;               ///< mean squared gaps of epochs
};

/// Trains to the end, or until the observer of the context asks to stop: then
/// what was reached comes back. The encoder of the problem is not used. The
/// same seed gives the same bits for any number of threads of the context, at
/// one of LibTorch's. Progress counts steps. Throws InvalidArgument for options
/// and problems out of range.
FlowDecoder train_flow(const DecoderProblem& problem,
                       const FlowOptions& options, const Context& context = {},
                       FlowHistory* history = nullptr);

}  // namespace sbog::image
