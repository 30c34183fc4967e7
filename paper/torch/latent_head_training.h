// SPDX-License-Identifier: Apache-2.0
// A linear classifier of unit latents that is shown outliers among them, with
// no image in between. It begins at the alignment's own logits, W = anchors /
// temperature and bias 0, and descends along
//
//   CE(latents of the bank) + weight outlier term (see outlier_loss.h);
//
// without outliers along the cross-entropy alone. phi = Linear(1, 2) begins
// with its border halfway between the mean log-sum-exps of both kinds. The
// uniform term does not see what all logits share, so a linear head learns
// little about the log-sum-exp from it.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "sbog/base/matrix.h"
#include "sbog/base/progress.h"
#include "sbog_torch/image/detector_training.h"
#include "sbog_torch/image/outlier_loss.h"
#include "sbog_torch/image/sgd.h"
#include "sbog_torch/nn/torch_bridge.h"

namespace sbog::image {

/// What is learned, float32: "head.weight" (classes x m), "head.bias"
/// (classes), "phi.weight" (2 x 1) and "phi.bias" (2).
using LatentHead = nn::TensorMap;

/// W z + b of each row, N x classes.
torch::Tensor head_logits(const LatentHead& head, const torch::Tensor& latents);

/// Settings of the training.
struct LatentHeadOptions {
  double temperature = 0.1;  ///< of the start, the alignment's
  OutlierLoss loss = OutlierLoss::kEnergy;
  double weight = 1.0;  ///< of the outlier term
  std::size_t epochs = 40;
  std::size_t batch = 64;     ///< latents of the bank per step
  std::size_t outliers = 64;  ///< per step, from a list that is cycled
  /// Of the hinge: a latent on its anchor begins at a log-sum-exp of about 10.
  double inner_margin = -10.0;
  double outer_margin = -5.0;
  /// Rates are divided by a weight above 1, which the steps would not survive.
  SgdOptions sgd = {0.2, 1e-4, 0.9, 5e-4, true};
  std::uint64_t seed = 23;
};

/// Throws InvalidArgument for options out of range.
void check_options(const LatentHeadOptions& options);

/// What a head is trained on.
struct LatentHeadProblem {
  MatrixView<const float> anchors;        ///< C x m unit rows
  MatrixView<const float> latents;        ///< of the bank, unit rows
  std::span<const std::int64_t> classes;  ///< of the latents, 0 .. C - 1
  MatrixView<const float> outliers = {};  ///< unit rows; none: CE alone
};

/// The head that nothing was shown to: the logits of the alignment.
LatentHead start_head(MatrixView<const float> anchors,
                      double temperature = 0.1);

/// Trains a head. The order of the bank in an epoch is the stream (seed,
/// Purpose::kHeadOrder, epoch), that of a pass through the outliers (seed,
/// Purpose::kHeadOutlierOrder, pass); nothing else is drawn. Progress counts
/// steps; a cancelled run returns what was reached, and a status of
/// kNotConverged means that numbers became infinite. Same seed, same bits at
/// one thread of LibTorch. Throws InvalidArgument.
LatentHead train_latent_head(const LatentHeadProblem& problem,
                             const LatentHeadOptions& options,
                             const Context& context = {},
                             DetectorHistory* history = nullptr);

}  // namespace sbog::image
