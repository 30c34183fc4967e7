// SPDX-License-Identifier: Apache-2.0
// Training of a detector in two stages. First a classifier on labelled images
// alone, which all rows of a table share; then exposure of a copy to outliers:
//
//   CE(in-distribution) + weight outlier term (see outlier_loss.h).
//
// A quarter of the in-distribution side of a batch are decoded images of
// in-distribution latents, so that "decoded" does not come to mean "outlier".
// Both sides go through the same crops, flips, resampling and 8-bit rounding,
// and through the network as one batch.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbog/base/progress.h"
#include "sbog/base/status.h"
#include "sbog_torch/image/detector.h"
#include "sbog_torch/image/draws.h"
#include "sbog_torch/image/outlier_loss.h"
#include "sbog_torch/image/resample.h"
#include "sbog_torch/image/sgd.h"

namespace sbog::image {

/// Images of known classes.
struct LabelledImages {
  torch::Tensor images;   ///< float32 N x C x H x W in [0, 1]
  torch::Tensor classes;  ///< int64 N, 0 .. classes - 1
};

/// Settings of the classifier.
struct ClassifierOptions {
  std::vector<std::size_t> widths = {16, 32, 64};
  std::size_t epochs = 8;
  std::size_t batch = 128;  ///< fewer when there are fewer images
  SgdOptions sgd = {};      ///< 0.1 down a cosine per step
  AugmentOptions augment = {};
  ResampleOptions resample = {};
  std::uint64_t seed = 21;
};

/// Settings of the exposure.
struct ExposureOptions {
  OutlierLoss loss = OutlierLoss::kEnergy;
  double weight = 1.0;  ///< of the outlier term
  std::size_t epochs = 4;
  std::size_t batch = 64;       ///< in-distribution images per step
  std::size_t outliers = 64;    ///< per step, from a list that is cycled
  double decoded_share = 0.25;  ///< of `batch`, when there are decoded images
  double decoded_weight = 0.5;  ///< of their cross-entropy
  double inner_margin = -25.0;  ///< of the hinge
  double outer_margin = -7.0;   ///< of the hinge
  SgdOptions sgd = {0.01, 1e-4, 0.9, 5e-4, true};
  AugmentOptions augment = {};
  ResampleOptions resample = {};
  std::uint64_t seed = 22;
};

/// Throw InvalidArgument for options out of range.
void check_options(const ClassifierOptions& options);
void check_options(const ExposureOptions& options);

/// Means of the epochs.
struct DetectorHistory {
  SolveStatus status = SolveStatus::kDone;  ///< or kCancelled
  std::vector<double> cross_entropies;
  std::vector<double> outlier_terms;  ///< empty for the classifier
};

/// The first stage. Mean and deviation of the channels become part of the
/// network. Progress counts steps; a cancelled run returns what was reached.
/// The same seed gives the same bits at the same number of LibTorch's threads.
/// Throws InvalidArgument.
Detector train_classifier(const LabelledImages& images, std::size_t classes,
                          const ClassifierOptions& options,
                          const Context& context = {},
                          DetectorHistory* history = nullptr);

/// What a classifier is exposed with.
struct ExposureProblem {
  LabelledImages images;
  torch::Tensor outliers;  ///< float32 K x C x H x W in [0, 1], K > 0
  LabelledImages decoded;  ///< of in-distribution latents; may be undefined
};

/// The second stage, on a copy of `start`; its threshold is dropped. As above.
Detector expose(const Detector& start, const ExposureProblem& problem,
                const ExposureOptions& options, const Context& context = {},
                DetectorHistory* history = nullptr);

}  // namespace sbog::image
