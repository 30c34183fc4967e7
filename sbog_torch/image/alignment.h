// SPDX-License-Identifier: Apache-2.0
// Training of an encoder so that the latents of a class point to its anchor:
// cross-entropy on cos(h(x), t_c) / t, plain or with the robust logits of
// robust_alignment.h.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog/image/image_set.h"
#include "sbog_torch/image/aligned_encoder.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/image/encoder.h"
#include "sbog_torch/image/robust_alignment.h"
#include "sbog_torch/image/sgd.h"

namespace sbog::image {

/// Settings of the training.
struct AlignmentOptions {
  double temperature = 0.1;  ///< t
  std::size_t epochs = 10;
  /// Images per step. An epoch is cut into ceil(N / batch) nearly equal
  /// batches, so that no step sees a few images only.
  std::size_t batch = 128;
  SgdOptions sgd = {};
  AugmentOptions augment = {};
  /// Anchors follow the running means of their classes; 0: they are fixed.
  double mean_decay = 0.0;
  /// Robust logits instead of the plain ones.
  std::optional<RobustAlignmentOptions> robust = {};
  std::uint64_t seed = 1;
  /// A file that keeps the state after each epoch and when cancelled; a run
  /// that finds it goes on to the same bits. Empty: none.
  std::string checkpoint = {};
};

/// Throws InvalidArgument, one sentence.
void check_options(const AlignmentOptions& options);

/// One epoch of training.
struct EpochRecord {
  double loss = 0.0;      ///< mean over its images
  double accuracy = 0.0;  ///< share of largest logit = class, while training
};

/// The trained encoder, also when the run was cancelled.
struct AlignmentResult {
  AlignedEncoder model;
  /// kDone, kCancelled, or kNotConverged when the loss became NaN or infinite.
  SolveStatus status = SolveStatus::kDone;
  std::size_t steps_done = 0;
  std::size_t steps = 0;            ///< of the whole run
  std::vector<EpochRecord> epochs;  ///< the finished ones
};

/// cos / t, N x C, from unit latents N x m and unit anchors C x m.
torch::Tensor class_logits(const torch::Tensor& latents,
                           const torch::Tensor& anchors, double temperature);

/// Trains an encoder of these options on labelled images; anchors C x m unit
/// rows. Progress counts steps. Same seed, same bits at one thread of LibTorch.
/// Throws InvalidArgument for labels without an anchor, classes that are not
/// known, fewer than two images, and options that do not fit; IoError for a
/// checkpoint of another run.
AlignmentResult align_encoder(const ImageSet& images,
                              const EncoderOptions& encoder,
                              MatrixView<const float> anchors,
                              const AlignmentOptions& options,
                              const Context& context = {});

}  // namespace sbog::image
