// SPDX-License-Identifier: Apache-2.0
// Training of a WindowVae on the windows of a series: the mean squared error
// plus 2 s^2 / (C W) times the divergence of the latent's posterior from the
// standard normal, which is the negative evidence bound for noise of variance
// s^2 around every sample, up to scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/nn/adam.h"
#include "sbog/series/encoder.h"
#include "sbog/series/window_source.h"
#include "sbog_torch/series/window_vae.h"

namespace sbog::series {

/// Settings.
struct VaeOptions {
  std::size_t latent = 4;
  std::size_t filters = 16;
  std::size_t hidden = 64;
  double noise_variance = 0.3;  ///< s^2, in standard units
  std::size_t epochs = 20;
  std::size_t batch = 50;  ///< fewer when there are fewer windows
  /// Followed down a cosine over the epochs.
  nn::AdamOptions optimiser{2e-3, 0.9, 0.999, 1e-8, 0.0, false};
  std::uint64_t seed = 4;
  /// A file to go on from, if it is there, and to write after every epoch and
  /// when cancelled; empty: none.
  std::string checkpoint;
};

/// What happened; only the epochs of this call.
struct VaeHistory {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled
  std::vector<double> losses;               ///< means of the epochs
  std::vector<double> errors;               ///< of them, squared errors
  std::vector<double> divergences;          ///< nats per window
  std::size_t epochs = 0;                   ///< finished in all
};

/// Trains to the end, or until the observer of the context asks to stop: then
/// the epoch that was under way is lost. The same seed gives the same bits, and
/// so does a run that was stopped. Progress counts steps. Throws
/// InvalidArgument for options out of range and no windows, IoError for a
/// checkpoint of another run.
WindowVae train_window_vae(const Encoder& encoder, const WindowSource& windows,
                           const VaeOptions& options,
                           const Context& context = {},
                           VaeHistory* history = nullptr);

}  // namespace sbog::series
