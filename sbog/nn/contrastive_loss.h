// SPDX-License-Identifier: Apache-2.0
// Losses of the pretext stage over anchors a_i, positives p_i and negatives
// n_j, all unit vectors; d = squared distance, tau = temperature.
//
//   InfoNCE   -log( e^{a.p/tau} / (e^{a.p/tau} + sum_j e^{a.n_j/tau}) )
//   hinge     max(0, margin + d(a,p)/tau - min_j d(a,n_j)/tau)
//   pull-push sum_j max(0, 5 + d(a,p)/tau - d(a,n_j))
// each averaged over i.
#pragma once

#include "sbog/base/matrix.h"

namespace sbog::series {

/// Which loss.
enum class ContrastiveLoss { kInfoNce, kHinge, kPullPush };

/// The value and the gradient with respect to every point.
struct LossResult {
  double value = 0.0;
  Matrix<float> gradients;  ///< 3B x dim, as the points
};

/// Rows of `points`: B anchors, B positives, B negatives. `margin` is that of
/// the hinge. Throws InvalidArgument unless rows are a multiple of 3 and the
/// temperature is above 0.
LossResult contrastive_loss(ContrastiveLoss loss,
                            MatrixView<const float> points, double temperature,
                            double margin);

/// The margin of the hinge at its next step: a tenth of the loss less, but at
/// least 0.01.
double next_margin(double margin, double loss);

}  // namespace sbog::series
