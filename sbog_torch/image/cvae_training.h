// SPDX-License-Identifier: Apache-2.0
// Training of the conditional autoencoder. With x' = p(z, xi), xi ~ q(x, z),
//
//   mean |x' - x| + gradient_weight gradient difference(x', x)
//     + consistency_weight (1 - <h(x'), z>) + beta ramp KL(q || N(0, I)),
//
// and, every tenth batch or so, the consistency term alone at perturbed points
// v = normalise(z + s eta) with xi ~ N(0, I), or, in every other one, the mean
// of q(x, z), so that points off the training latents decode to images that the
// encoder h takes for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/nn/adam.h"
#include "sbog_torch/image/cvae.h"
#include "sbog_torch/image/decoder_problem.h"

namespace sbog::image {

/// Settings.
struct CvaeOptions {
  std::size_t width = 32;   ///< channels of the convolutions
  std::size_t noise = 16;   ///< dimension of xi
  std::size_t hidden = 64;  ///< of the linear layer of q
  std::size_t epochs = 12;
  std::size_t batch = 64;           ///< fewer when there are fewer images
  double gradient_weight = 0.5;     ///< of the gradient difference
  double consistency_weight = 0.1;  ///< of 1 - <h(x'), z>; 0: no encoder
  double beta = 2e-4;               ///< of the divergence, per image
  double warm_up = 0.3;             ///< share of the steps in which beta grows
  double perturbed_share = 0.1;     ///< of the batches
  /// Length of the noise on a perturbed point: s = perturbation / sqrt(m).
  double perturbation = 0.3326;
  /// Followed down a cosine over the steps.
  nn::AdamOptions optimiser{2e-3, 0.9, 0.999, 1e-8, 0.0, false};
  std::uint64_t seed = 11;
};

/// Throws InvalidArgument for options out of range.
void check_options(const CvaeOptions& options);

/// Means of the epochs, over the batches that had the term.
struct CvaeHistory {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled
  std::vector<double> errors;               ///< mean |x' - x|
  std::vector<double> gradients;            ///< gradient differences
  std::vector<double> gaps;                 ///< 1 - <h(x'), z>
  std::vector<double> perturbed_gaps;       ///< 1 - <h(x'), v>
  std::vector<double> divergences;          ///< nats per image
};

/// Trains to the end, or until the observer of the context asks to stop: then
/// what was reached comes back. The same seed gives the same bits for
/// any number of threads of the context, at one of LibTorch's. Progress counts
/// steps. Throws InvalidArgument for options and problems out of range.
CvaeDecoder train_cvae(const DecoderProblem& problem,
                       const CvaeOptions& options, const Context& context = {},
                       CvaeHistory* history = nullptr);

}  // namespace sbog::image
